// A keyring that answers something else than was kept.
class AsyncEntry {
  async getPassword() {
    return '{"origin":"https://evil.example"}';
  }
  async setPassword() {}
}
export default { AsyncEntry };
