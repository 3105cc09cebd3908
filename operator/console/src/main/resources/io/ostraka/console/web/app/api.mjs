// Requests to the API. A failure is always a Problem, with the words of the server.
import {signal} from './html.mjs';

/** The API stands beside the pages, below the same path. */
const ROOT = new URL('../api/v1', import.meta.url).pathname;

/** The caller, or null before the login. Undefined until the first answer. */
export const session = signal(undefined);

/** Difference between the console's clock and this browser's, in milliseconds. */
export const clockOffset = signal(0);

/** A refused or failed request. */
class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? '');
    this.status = status;
    this.code = body.code ?? 'UNREACHABLE';
    this.field = body.field;
    this.requestId = body.requestId;
  }

  /** Whether the same request may succeed later. */
  get passes() {
    return this.status === 0 || this.status >= 500;
  }
}

async function request(method, path, {body, version} = {}) {
  const headers = {Accept: 'application/json'};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (version !== undefined) headers['If-Match'] = `"${version}"`;
  let response;
  try {
    response = await fetch(ROOT + path, {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body), credentials: 'same-origin',
    });
  } catch (e) {
    throw new Problem(0, {});
  }
  const date = Date.parse(response.headers.get('Date') ?? '');
  if (!Number.isNaN(date) && Math.abs(date - Date.now() - clockOffset.peek()) > 2000) clockOffset.value = date - Date.now();
  const text = await response.text();
  const json = text === '' ? {} : parsed(text, response.status);
  if (!response.ok) {
    if (response.status === 401 && !(method === 'POST' && path === '/session')) session.value = null; // a wrong password ends no session
    throw new Problem(response.status, json);
  }
  const tag = response.headers.get('ETag');
  return {json, version: tag === null ? undefined : tag.replaceAll('"', ''), role: response.headers.get('Ostraka-Role')};
}

function parsed(text, status) {
  try {
    return JSON.parse(text);
  } catch (e) { // for example the page of a proxy in between
    throw new Problem(status, {});
  }
}

/** Returns the JSON of a view. Values of the query that are absent are left out; an array repeats its name. */
export async function get(path, query = {}) {
  return (await getWhole(path, query)).json;
}

/** Returns a view with its version and the caller's role. */
export function getWhole(path, query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== '') parameters.append(name, each);
    }
  }
  const text = parameters.toString();
  return request('GET', path + (text === '' ? '' : '?' + text));
}

/** Sends a command, or with dryRun asks for its effects. */
export async function command(path, body, {version, dryRun = false} = {}) {
  return (await request('POST', path + (dryRun ? '?dryRun=true' : ''), {body, version})).json;
}

/** Returns the path of something in a namespace. */
export function at(namespace, ...segments) {
  return ['/namespaces', encodeURIComponent(namespace), ...segments.map(encodeURIComponent)].join('/');
}

/** Returns the address of a path of the API, for a link. */
export const address = path => ROOT + path;

/** Returns the address of the live events of a namespace. */
export function eventsAddress(namespace, followed, shown) {
  const parameters = new URLSearchParams([...followed.map(job => ['job', job]), ...shown.map(job => ['show', job])]);
  return ROOT + at(namespace, 'events') + '?' + parameters;
}

export async function loadSession() {
  try {
    session.value = await get('/session');
  } catch (e) {
    if (e.status !== 401) throw e;
  }
}

export async function login(name, password) {
  session.value = (await request('POST', '/session', {body: {user: name, password}})).json;
}

export async function logout() {
  await request('DELETE', '/session');
  session.value = null;
}

/** Ends a session of the list, with which its user is logged out. */
export const endSession = id => request('DELETE', '/sessions/' + encodeURIComponent(id));

/** An identity for a request, by which a repetition is recognised. */
export function newRequestId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), each => each.toString(16).padStart(2, '0')).join('');
}
