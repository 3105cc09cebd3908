// All jobs: searched, filtered and sorted by the server, one page at a time.
import {html, useEffect, useMemo, useState} from '../html.mjs';
import {at, get} from '../api.mjs';
import {CommandButton} from '../commands.mjs';
import {number, schedule, words} from '../format.mjs';
import {useFollow} from '../live.mjs';
import {route, setQuery} from '../router.mjs';
import {Ago, Due, Empty, jobState, Link, Loaded, Since, State, symbol, tone} from '../ui.mjs';
import {t} from '../texts.mjs';
import {AGAIN, useView} from '../view.mjs';
import {Kind} from './overview.mjs';

const PAGE = 50;
const STATES = ['ACTIVE', 'PAUSED', 'CHANGING', 'UNPLANNED', 'UNREADABLE', 'REMOVED'];
const SORTS = ['name', 'state', 'nextFire', 'items', 'problems'];

export function Jobs({namespace}) {
  const {search = '', state = '', problems = '', sort = 'name', after = ''} = route.value.query;
  const [chosen, setChosen] = useState(new Set());
  const key = JSON.stringify([namespace, search, state, problems, sort, after]);
  const page = useView(key, () => read(namespace, {search, state, problems: problems || undefined, sort, after}), change);
  useFollow(namespace, {shown: page.value.value?.jobs.map(each => each.job) ?? [], since: page.value.since});
  const activity = useActivity(namespace, page);
  useEffect(() => setChosen(new Set()), [key]);
  const filter = changes => setQuery({after: '', ...changes});
  return html`<section><div class="title"><h1>${t('nav.jobs')}</h1></div>
    <form class="filters" role="search" onSubmit=${event => event.preventDefault()}>
      <${Search} value=${search} change=${value => filter({search: value})} />
      <label>${t('field.state')} <select value=${state} onChange=${event => filter({state: event.target.value})}>
        <option value="">${t('text.all')}</option>${STATES.map(each => html`<option value=${each}>${t('state.' + each)}</option>`)}</select></label>
      <label>${t('field.sort')} <select value=${sort} onChange=${event => filter({sort: event.target.value})}>
        ${SORTS.map(each => html`<option value=${each}>${t('sort.' + each)}</option>`)}</select></label>
      <label class="check"><input type="checkbox" checked=${problems === 'true'} onChange=${event => filter({problems: event.target.checked ? 'true' : ''})} />
        ${t('field.problems')}</label>
    </form>
    <${Loaded} view=${page}>${value => html`<${List} namespace=${namespace} value=${value} activity=${activity.value.value ?? new Map()}
      chosen=${chosen} setChosen=${setChosen} again=${() => filter({})} after=${after} />`}</${Loaded}></section>`;
}

const read = (namespace, query) => get(at(namespace, 'jobs'), {...query, limit: PAGE});

/** An event changes a row that is shown. A new job may belong between the rows, so the page is read again. */
function change(value, name, data) {
  if (name === 'job') {
    const index = value.jobs.findIndex(each => each.job === data.job);
    if (index < 0) return value.jobs.length < PAGE ? AGAIN : undefined;
    return {...value, jobs: value.jobs.with(index, data)};
  }
  return name === 'job-removed' && value.jobs.some(each => each.job === data.job) ? AGAIN : undefined;
}

/** Runs and outcomes of the shown jobs, which have no events of their own. */
function useActivity(namespace, page) {
  const names = page.value.value?.jobs.map(each => each.job) ?? [];
  return useView(namespace + names.join(), async () => names.length === 0 ? new Map()
    : new Map((await get(at(namespace, 'activity'), {job: names})).activity.map(each => [each.job, each])), undefined, 5000);
}

/** The search starts a moment after the last key, so that each word is one request. */
function Search({value, change}) {
  const timer = useMemo(() => ({}), []);
  const input = event => {
    const text = event.target.value;
    clearTimeout(timer.id);
    timer.id = setTimeout(() => change(text), 250);
  };
  return html`<label class="search">${t('field.search')} <input type="search" name="search" value=${value} onInput=${input} maxlength="128" /></label>`;
}

function List({namespace, value, activity, chosen, setChosen, again, after}) {
  const shown = value.jobs.map(each => each.job);
  const all = shown.length > 0 && shown.every(each => chosen.has(each));
  const toggle = name => setChosen(before => {
    const next = new Set(before);
    if (!next.delete(name)) next.add(name);
    return next;
  });
  const jobs = shown.filter(each => chosen.has(each));
  if (shown.length === 0) return html`<${Empty}>${t('text.noJobs')}</${Empty}>`;
  return html`<div class="bar" aria-live="polite"><span>${t('text.jobsShown', {shown: number(shown.length), total: number(value.total)})}</span>
      ${jobs.length > 0 && html`<span class="actions">${t('text.chosen', {count: jobs.length})}
        ${['pause', 'resume', 'trigger', 'silence-alarms'].map(name => html`<${CommandButton} name=${name} namespace=${namespace} jobs=${jobs} done=${again} small />`)}</span>`}</div>
    <div class="frame" tabindex="0" role="region" aria-label=${t('nav.jobs')}><table class="jobs">
      <thead><tr><th scope="col" class="tick"><input type="checkbox" aria-label=${t('action.chooseAll')} checked=${all}
          onChange=${() => setChosen(new Set(all ? [] : shown))} /></th>
        ${['job', 'state', 'lastFire', 'nextFire', 'items', 'schedule'].map(each => html`<th scope="col" class=${each}>${t('field.' + each)}</th>`)}</tr></thead>
      <tbody>${value.jobs.map(job => html`<${Row} key=${job.job} namespace=${namespace} job=${job} activity=${activity.get(job.job)}
        chosen=${chosen.has(job.job)} toggle=${toggle} />`)}</tbody></table></div>
    <nav class="pages" aria-label=${t('title.pages')}>
      ${after !== '' && html`<button type="button" onClick=${() => history.back()}>${t('action.back')}</button>`}
      ${value.next && html`<${Link} class="button" to=${[namespace, 'jobs']} query=${{...route.value.query, after: value.next}}>${t('action.next')}</${Link}>`}</nav>`;
}

function Row({namespace, job, activity, chosen, toggle}) {
  const state = jobState(job);
  const [first, ...others] = job.health.filter(each => ![state, 'CLOCK_AHEAD'].includes(each.reason.kind)); // a clock is a problem of its instance
  return html`<tr class=${chosen ? 'chosen' : ''}><td class="tick"><input type="checkbox" aria-label=${t('action.choose', {name: job.job})} checked=${chosen} onChange=${() => toggle(job.job)} /></td>
    <td class="job"><${Link} to=${[namespace, 'jobs', job.job]}>${job.job}</${Link}></td>
    <td class="state"><${State} state=${state} />${first && html`<div class="reason" title=${words(first.reason.text)}><${Kind} kind=${first.reason.kind} />
      ${others.length > 0 && ' +' + others.length}</div>`}</td>
    <td class="lastFire"><${LastFire} activity=${activity} /></td>
    <td class="nextFire"><${Due} job=${job} /></td>
    <td class="items">${number(job.items)} <small>${t('text.on', {count: Object.keys(job.owners).length})}</small></td>
    <td class="schedule"><code>${schedule(job.schedule)}</code></td></tr>`;
}

/** What runs now, how the last run of each item ended, and when the latest fire was: the last run of an item may be older. */
export function LastFire({activity}) {
  if (!activity || !activity.lastFire && activity.running === 0) return html`<span class="none">–</span>`;
  return html`<span class="outcomes">${activity.running > 0 && html`<span class="state run"><span aria-hidden="true">${symbol('RUNNING')}</span>
      ${t('text.running', {count: activity.running})}${activity.runningSince && html` <${Since} at=${activity.runningSince} />`}</span> `}
    ${Object.entries(activity.outcomes).map(([outcome, count]) => html`<span class=${'state ' + tone(outcome)} title=${t('state.' + outcome)}>
      <span aria-hidden="true">${symbol(outcome)}</span>${count}<span class="hidden"> ${t('state.' + outcome)}</span></span> `)}</span>
    <small>${t('text.latestFire')} <${Ago} at=${activity.lastFire} /></small>`;
}
