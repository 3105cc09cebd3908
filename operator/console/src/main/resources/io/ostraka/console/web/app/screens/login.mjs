// The login. A link with a one-time password logs in by itself; the password leaves the address at once.
import {html, useEffect, useState} from '../html.mjs';
import {login} from '../api.mjs';
import {go, route} from '../router.mjs';
import {Field, ProblemBox} from '../ui.mjs';
import {t} from '../texts.mjs';

export function Login() {
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const enter = async (name, password) => {
    setBusy(true);
    setProblem(null);
    try {
      await login(name, password);
      if (route.peek().path[0] === 'login') go([]);
    } catch (e) {
      setProblem(e);
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    const {path, query} = route.peek();
    if (path[0] === 'login' && query.password) {
      history.replaceState(null, '', '#/login');
      enter('admin', query.password);
    }
  }, []);
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
