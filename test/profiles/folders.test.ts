import { expect, test } from 'vitest';
import { findFolders } from '../../src/profiles/folders.ts';

const linux = { platform: 'linux', home: '/home/op7' };
const usual = {
  config: '/home/op7/.config/paydesk',
  state: '/home/op7/.local/state/paydesk',
  cache: '/home/op7/.cache/paydesk',
  witness: '/home/op7/.local/share/paydesk/witness',
};

test('without XDG variables the usual folders of Linux are used', () => {
  expect(findFolders({ ...linux, env: {} })).toEqual(usual);
});

test('absolute XDG variables are used', () => {
  const env = { XDG_CONFIG_HOME: '/a', XDG_STATE_HOME: '/b', XDG_CACHE_HOME: '/c/' };
  expect(findFolders({ ...linux, env })).toEqual({
    config: '/a/paydesk',
    state: '/b/paydesk',
    cache: '/c/paydesk',
    witness: '/b/paydesk/witness',
  });
});

test('relative and empty XDG variables are ignored', () => {
  const env = { XDG_CONFIG_HOME: '.config', XDG_STATE_HOME: '', XDG_CACHE_HOME: './x' };
  expect(findFolders({ ...linux, env })).toEqual(usual);
});

test('macOS and Windows have their own places', () => {
  expect(findFolders({ platform: 'darwin', home: '/Users/op7', env: {} }).config).toBe(
    '/Users/op7/Library/Application Support/paydesk',
  );
  const env = { APPDATA: 'C:\\Users\\op7\\AppData\\Roaming', LOCALAPPDATA: 'relative' };
  expect(findFolders({ platform: 'win32', home: 'C:\\Users\\op7', env })).toEqual({
    config: 'C:\\Users\\op7\\AppData\\Roaming\\paydesk',
    state: 'C:\\Users\\op7\\AppData\\Local\\paydesk\\State',
    cache: 'C:\\Users\\op7\\AppData\\Local\\paydesk\\Cache',
    witness: 'C:\\Users\\op7\\AppData\\Local\\paydesk\\Witness',
  });
});
