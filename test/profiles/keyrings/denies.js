// A keyring that refuses.
class AsyncEntry {
  constructor() {
    throw new Error('AccessDenied');
  }
}
export default { AsyncEntry };
