// The login. A link with a one-time password logs in by itself; the password leaves the address at once.
import {effect, html, useEffect, useState} from '../html.mjs';
import {login, session} from '../api.mjs';
import {go, route, setQuery} from '../router.mjs';
import {Field, ProblemBox} from '../ui.mjs';
import {t} from '../texts.mjs';

/** The screen before the login. */
let before = {path: [], query: {}};
effect(() => { if (route.value.path[0] !== 'login') before = route.value; });

export function Login() {
  const {path, query} = route.value;
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const enter = async (name, password) => {
    setBusy(true);
    setProblem(null);
    try {
      await login(name, password);
    } catch (e) {
      setProblem(e);
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    if (path[0] !== 'login') return;
    if (query.password) { // also of a link that was opened in a tab that shows the pages: then nothing is loaded again
      setQuery({password: ''});
      enter('admin', query.password);
    } else if (session.value && !busy) {
      go(before.path, before.query);
    }
  }, [path, session.value, busy]);
  const submit = event => {
    event.preventDefault();
    enter(event.target.elements.user.value, event.target.elements.password.value);
  };
  return html`<main class="login"><form onSubmit=${submit}><h1>Ostraka</h1>
    <${Field} label=${t('field.user')}><input name="user" required autocomplete="username" autofocus value="" /></${Field}>
    <${Field} label=${t('field.password')}><input name="password" type="password" required autocomplete="current-password" /></${Field}>
    <${ProblemBox} problem=${problem} />
    <button type="submit" class="primary" disabled=${busy}>${t('action.login')}</button>
    <p class="hint">${t('text.login')}</p></form></main>`;
}
