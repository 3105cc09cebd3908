// The address holds the screen and every filter: #/namespace/screen/...?filter=value
// The part after # never reaches a server, so the same pages work below any path of an application.
import {signal} from './html.mjs';

export const route = signal(parse());

function parse() {
  const text = location.hash.replace(/^#\/?/, '');
  const question = text.indexOf('?');
  const path = question < 0 ? text : text.slice(0, question);
  const query = Object.fromEntries(new URLSearchParams(question < 0 ? '' : text.slice(question + 1)));
  return {path: path.split('/').filter(each => each !== '').map(decoded), query};
}

function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch (e) { // a hand-written address
    return segment;
  }
}

/** Returns the address of a screen; query values that are empty are left out. */
export function href(path, query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') parameters.set(name, value);
  }
  const text = parameters.toString();
  return '#/' + path.map(encodeURIComponent).join('/') + (text === '' ? '' : '?' + text);
}

/** Goes to another screen. */
export function go(path, query) {
  location.hash = href(path, query);
}

/** Changes filters of this screen, without a new entry in the browser's list of visited pages. */
export function setQuery(changes) {
  const {path, query} = route.peek();
  history.replaceState(null, '', href(path, {...query, ...changes}));
  route.value = parse();
}

addEventListener('hashchange', () => { route.value = parse(); });
