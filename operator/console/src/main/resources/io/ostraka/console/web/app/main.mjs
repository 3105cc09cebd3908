// The frame of all screens: namespace, navigation, search for a job, and the state of the connection.
import {effect, html, plain, render, signal, useEffect, useErrorBoundary, useState} from './html.mjs';
import {at, endSession, get, loadSession, logout, session} from './api.mjs';
import {store, stored, utc, words, zone} from './format.mjs';
import {connection, follow} from './live.mjs';
import {go, href, route} from './router.mjs';
import {Ago, At, closeDialog, closeMenus, dialog, Dialog, Link, messages, openDialog, ProblemBox, Table, useFreeze, Waiting, zoneText} from './ui.mjs';
import {language, LANGUAGES, t} from './texts.mjs';
import {Alarms} from './screens/alarms.mjs';
import {Audit, Failures} from './screens/audit.mjs';
import {DayPlan} from './screens/dayplan.mjs';
import {Events} from './screens/events.mjs';
import {Instances} from './screens/instances.mjs';
import {Job} from './screens/job.mjs';
import {Jobs} from './screens/jobs.mjs';
import {Login} from './screens/login.mjs';
import {Overview} from './screens/overview.mjs';
import {Run} from './screens/run.mjs';
import {useView} from './view.mjs';

const SCREENS = {overview: Overview, jobs: Jobs, instances: Instances, plan: DayPlan, alarms: Alarms, events: Events, audit: Audit, failures: Failures};
const ICON = new URL('../icon.svg', import.meta.url).href;
const NAVIGATION = ['overview', 'jobs', 'instances', 'plan', 'alarms', 'events', 'audit'];
/** Screens that read the freeze of the namespace themselves. */
const FREEZES = new Set(['overview', 'instances']);
const OF_HISTORY = new Set(['audit', 'events', 'failures']);
const THEMES = ['system', 'light', 'dark'];

const namespaces = signal(undefined);
const theme = signal(stored('ostraka.theme') ?? 'system');

effect(() => { document.documentElement.dataset.theme = theme.value; store('ostraka.theme', theme.value); });
effect(() => { document.documentElement.lang = language.value; store('ostraka.language', language.value); });
effect(() => { store('ostraka.utc', String(utc.value)); });

function App() {
  const [problem, setProblem] = useState(null);
  const start = () => loadSession().then(() => setProblem(null), setProblem);
  useEffect(() => { start(); }, []);
  if (problem) return html`<main><${ProblemBox} problem=${problem} again=${start} /></main>`;
  if (session.value === undefined) return html`<main><${Waiting} /></main>`;
  if (session.value === null || route.value.path[0] === 'login') return html`<${Login} />`;
  return html`<${Console} />`;
}

function Console() {
  const [problem, setProblem] = useState(null);
  const load = () => get('/namespaces').then(answer => { namespaces.value = answer.namespaces; setProblem(null); }, setProblem);
  useEffect(() => { load(); }, []);
  const {path} = route.value;
  const names = namespaces.value;
  const [namespace = names?.length === 1 ? names[0] : undefined, screen = 'overview'] = path;
  useEffect(() => {
    if (names !== undefined && !names.includes(namespace)) follow(null);
  }, [namespace, names]);
  useEffect(() => () => follow(null), []);
  useEffect(() => { document.title = plain([path.slice(2).at(0) ?? t('nav.' + screen), namespace, 'Ostraka'].filter(Boolean).join(' · ')); });
  if (problem) return html`<main><${ProblemBox} problem=${problem} again=${load} /></main>`;
  if (names === undefined) return html`<main><${Waiting} /></main>`;
  const known = namespace !== undefined && names.includes(namespace);
  return html`<a class="skip" href="#content" onClick=${event => { event.preventDefault(); document.getElementById('content').focus(); }}>${t('action.skip')}</a>
    <${Top} namespace=${known ? namespace : undefined} names=${names} screen=${screen} />
    <${Connection} />
    ${known && !FREEZES.has(screen) && html`<${Freeze} key=${namespace} namespace=${namespace} />`}
    <main id="content" tabindex="-1">${known ? html`<${Screen} key=${path.join('/')} namespace=${namespace} screen=${screen} path=${path} />`
      : html`<${Choice} names=${names} asked=${namespace} />`}</main>
    ${dialog.value !== null && dialog.value()}
    <div class="messages" role="status">${messages.value.map(each => html`<p key=${each.id} class=${each.kind}>${each.text}</p>`)}</div>`;
}

function Screen({namespace, screen, path}) {
  const [error, reset] = useErrorBoundary();
  if (error) return html`<h1>${path.at(-1)}</h1><${ProblemBox} problem=${error} again=${reset} />`;
  if (screen === 'jobs' && path.length === 3) return html`<${Job} namespace=${namespace} job=${path[2]} />`;
  if (screen === 'jobs' && path.length === 5 && path[3] === 'runs') return html`<${Run} namespace=${namespace} job=${path[2]} runId=${path[4]} />`;
  const Known = Object.hasOwn(SCREENS, screen) && path.length <= 2 ? SCREENS[screen] : null;
  return Known ? html`<${Known} namespace=${namespace} />` : html`<h1>${namespace}</h1><${ProblemBox} problem=${{message: t('problem.noScreen')}} />`;
}

/** Keeps the freeze of the shown namespace, on which each next fire depends. */
function Freeze({namespace}) {
  const {value} = useView(namespace, () => get(at(namespace)), (last, name, data) => name === 'namespace' ? data : undefined).value;
  useFreeze(value);
  return null;
}

function Choice({names, asked}) {
  return html`${asked !== undefined && html`<${ProblemBox} problem=${{message: t('problem.noNamespace', {name: asked})}} />`}
    <h1>${t('title.namespaces')}</h1>${names.length === 0 ? html`<p class="empty">${t('text.noNamespaces')}</p>`
    : html`<ul class="plain">${names.map(each => html`<li><${Link} to=${[each]}>${each}</${Link}></li>`)}</ul>`}`;
}

function Top({namespace, names, screen}) {
  const shown = NAVIGATION.filter(each => session.value.console?.history !== false || !OF_HISTORY.has(each));
  return html`<header class="top">
    <a class="brand" href=${namespace ? href([namespace]) : '#/'}><img src=${ICON} alt="" width="22" height="22" /> Ostraka</a>
    ${names.length > 1 && html`<label class="namespace"><span class="hidden">${t('field.namespace')}</span><select value=${namespace ?? ''} onChange=${event => go([event.target.value])}>
      ${namespace === undefined && html`<option value="">${t('field.namespace')}</option>`}${names.map(each => html`<option value=${each}>${each}</option>`)}</select></label>`}
    ${namespace && html`<nav class="main" aria-label=${t('title.screens')}>${shown.map(each => html`<a href=${href(each === 'overview' ? [namespace] : [namespace, each])}
      aria-current=${each === screen ? 'page' : undefined}>${t('nav.' + each)}</a>`)}</nav>`}
    ${namespace && html`<${Palette} namespace=${namespace} />`}<${Preferences} /></header>`;
}

/** Goes to a job by a part of its name; opened by the key / or by the button. */
function Palette({namespace}) {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const key = event => {
      const typing = event.target.closest?.('input, textarea, select, dialog');
      if (!typing && (event.key === '/' || event.key === 'k' && (event.ctrlKey || event.metaKey))) {
        event.preventDefault();
        setOpen(true);
      }
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  }, []);
  return html`<button type="button" class="find" onClick=${() => setOpen(true)} title=${t('hint.find')}><span>${t('action.find')}</span> <kbd>/</kbd></button>
    ${open && html`<${Find} namespace=${namespace} close=${() => setOpen(false)} />`}`;
}

function Find({namespace, close}) {
  const [text, setText] = useState('');
  const [jobs, setJobs] = useState([]);
  useEffect(() => {
    let stale = false;
    const timer = setTimeout(() => get(at(namespace, 'jobs'), {search: text, limit: 12}).then(answer => { if (!stale) setJobs(answer.jobs); }, () => {}), 150);
    return () => { stale = true; clearTimeout(timer); };
  }, [text]);
  const screens = NAVIGATION.filter(each => text !== '' && t('nav.' + each).toLowerCase().includes(text.toLowerCase()));
  const links = [...screens.map(each => [t('nav.' + each), each === 'overview' ? [namespace] : [namespace, each]]), ...jobs.map(job => [job.job, [namespace, 'jobs', job.job]])];
  const submit = event => {
    event.preventDefault();
    if (links.length > 0) {
      go(links[0][1]);
      close();
    }
  };
  return html`<${Dialog} title=${t('action.find')} close=${close}><form class="finder" onSubmit=${submit}>
    <input type="search" autofocus aria-label=${t('action.find')} value=${text} onInput=${event => setText(event.target.value)} />
    <ul class="plain">${links.map(([name, to], index) => html`<li class=${index === 0 ? 'first' : ''}><${Link} to=${to} onClick=${close}>${name}</${Link}></li>`)}</ul></form></${Dialog}>`;
}

function Preferences() {
  const {name, grants, origin} = session.value;
  const leave = () => logout().catch(() => { session.value = null; });
  return html`<details class="menu preferences"><summary><span class="hidden">${t('title.preferences')}: </span><span class="who">${name}</span> · <span title=${zoneText()}>${zone()}</span> ▾</summary><div>
    <p class="hint">${grants?.join(', ')}</p>
    <label>${t('field.theme')} <select value=${theme.value} onChange=${event => { theme.value = event.target.value; }}>${THEMES.map(each => html`<option value=${each}>${t('theme.' + each)}</option>`)}</select></label>
    <label>${t('field.language')} <select value=${language.value} onChange=${event => { language.value = event.target.value; }}>${Object.entries(LANGUAGES).map(([code, text]) => html`<option value=${code}>${text}</option>`)}</select></label>
    <label class="check"><input type="checkbox" checked=${utc.value} onChange=${event => { utc.value = event.target.checked; }} /> ${t('field.utc')}</label>
    <p class="hint">${zoneText()}</p>
    ${['session', 'proxy'].includes(origin) && html`<button type="button" onClick=${() => openDialog(() => html`<${Sessions} />`)}>${t('action.sessions')}</button>`}
    ${origin === 'session' && html`<button type="button" onClick=${leave}>${t('action.logout')}</button>`}</div></details>`;
}

/** The sessions that the user may end: their own, or for an administrator those of all users. */
function Sessions() {
  const [sessions, setSessions] = useState([]);
  const [problem, setProblem] = useState(null);
  const read = () => get('/sessions').then(answer => { setSessions(answer.sessions); setProblem(null); }, setProblem);
  useEffect(() => { read(); }, []);
  const end = id => endSession(id).then(read, setProblem);
  return html`<${Dialog} title=${t('action.sessions')} close=${closeDialog} wide><${ProblemBox} problem=${problem} />
    <${Table} label=${t('action.sessions')} heads=${['user', 'client', 'login', 'used', 'actions'].map(each => t('field.' + each))}>
      ${sessions.map(each => html`<tr key=${each.id} class=${each.current ? 'chosen' : ''}><td>${each.user} ${each.current && t('text.thisSession')}</td>
        <td>${each.client}</td><td><${At} at=${each.start} /></td><td><${Ago} at=${each.used} /></td>
        <td class="actions"><button type="button" class="small" onClick=${() => end(each.id)}>${t('action.endSession')}</button></td></tr>`)}</${Table}></${Dialog}>`;
}

/** Says so while the pages may be out of date. */
function Connection() {
  const {state, text} = connection.value;
  const [late, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    const timer = setTimeout(() => setLate(true), 3000); // a short gap is no news
    return () => clearTimeout(timer);
  }, [state]);
  if (state === 'unavailable') return html`<p class="banner bad" role="alert">${t('live.unavailable')} ${words(text)}</p>`;
  return state === 'lost' && late ? html`<p class="banner hold" role="alert">${t('live.lost')}</p>` : null;
}

addEventListener('hashchange', () => { closeDialog(); closeMenus(); });
render(html`<${App} />`, document.getElementById('app'));
