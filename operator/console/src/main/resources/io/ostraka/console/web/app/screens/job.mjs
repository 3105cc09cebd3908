// One job: what is wrong and which action mends it, and its tabs.
import {html} from '../html.mjs';
import {at, get, getWhole, session} from '../api.mjs';
import {CommandButton} from '../commands.mjs';
import {schedule} from '../format.mjs';
import {useFollow} from '../live.mjs';
import {href, route} from '../router.mjs';
import {Due, jobState, Link, Loaded, State, Tabs} from '../ui.mjs';
import {t} from '../texts.mjs';
import {AGAIN, useView} from '../view.mjs';
import {Account} from './account.mjs';
import {JobEvents} from './events.mjs';
import {ItemMap} from './map.mjs';
import {LastFire} from './jobs.mjs';
import {Problems} from './overview.mjs';
import {NextFires, Runs, Skipped, Triggers} from './runs.mjs';
import {Settings} from './settings.mjs';

const TABS = {map: ItemMap, runs: Runs, skipped: Skipped, next: NextFires, triggers: Triggers, settings: Settings, account: Account, events: JobEvents};
const OF_HISTORY = new Set(['runs', 'skipped', 'account', 'events']);

export function Job({namespace, job}) {
  useFollow(namespace, {items: [job]});
  const view = useView(namespace + '/' + job, () => read(namespace, job), change, 10_000); // a change of a field alone has no event
  return html`${view.value.value === undefined && html`<h1>${job}</h1>`}<${Loaded} view=${view}>${value => html`<${Content} namespace=${namespace} job=${job} value=${value} />`}</${Loaded}>`;
}

async function read(namespace, job) {
  const [{json, version, role}, {problems}] = await Promise.all([getWhole(at(namespace, 'jobs', job)), get(at(namespace, 'problems'), {job})]);
  return {...json, version, role, problems};
}

/** The summary comes with the event; the fields, which a command may have changed, are read again with it. */
function change(value, name, data) {
  const job = value.summary.job;
  if (name === 'job' && data.job === job) {
    const same = JSON.stringify({...data, at: '', nextFire: ''}) === JSON.stringify({...value.summary, at: '', nextFire: ''});
    return same ? {...value, summary: data} : AGAIN;
  }
  if (name === 'activity' && data.job === job) return {...value, activity: data};
  return ['alarm', 'job-removed'].includes(name) && data.job === job || name === 'alarm-removed' ? AGAIN : undefined;
}

function Content({namespace, job, value}) {
  const {tab = 'map'} = route.value.query;
  const Tab = Object.hasOwn(TABS, tab) ? TABS[tab] : ItemMap;
  const {summary, activity, problems, role} = value;
  const hasHistory = session.value?.console?.history !== false;
  const names = Object.keys(TABS).filter(each => hasHistory || !OF_HISTORY.has(each));
  const labels = value.fields.find(each => each.field === 'labels')?.effective ?? {};
  const description = value.fields.find(each => each.field === 'description')?.effective;
  const overridden = value.fields.filter(each => each.overridden && each.field !== 'paused').map(each => each.field);
  const common = {namespace, job, role};
  return html`<article class="job">
    <header class="title"><div><p class="crumbs"><${Link} to=${[namespace, 'jobs']}>${t('nav.jobs')}</${Link}> /</p>
      <h1>${job} <${State} state=${jobState(summary)} /></h1>
      ${description && html`<p class="description">${description}</p>`}
      <${Labels} labels=${labels} /></div>
      <div class="actions">
        <${CommandButton} name="trigger" ...${common} primary />
        ${summary.state === 'PAUSED' ? html`<${CommandButton} name="resume" ...${common} version=${value.version} />`
          : html`<${CommandButton} name="pause" ...${common} version=${value.version} />`}
        <details class="menu"><summary>${t('action.more')}</summary><div>
          <${CommandButton} name="skip-fires" ...${common} version=${value.version} />
          <${CommandButton} name="backfill" ...${common} />
          <${CommandButton} name="silence-alarms" ...${common} />
          ${value.changes.silencedAlarms && html`<${CommandButton} name="unsilence-alarms" ...${common} />`}
          <${CommandButton} name="disable-instance" ...${common} version=${value.version} />
          <${CommandButton} name="remove" ...${common} version=${value.version} />
          <${CommandButton} name="purge" ...${common} />
        </div></details>
      </div></header>
    ${problems.length > 0 && html`<${Problems} namespace=${namespace} problems=${problems} role=${role} named=${false} />`}
    <dl class="facts">
      <div><dt>${t('field.lastFire')}</dt><dd><${LastFire} activity=${activity} /></dd></div>
      <div><dt>${t('field.nextFire')}</dt><dd><${Due} job=${summary} /></dd></div>
      <div><dt>${t('field.schedule')}</dt><dd><code>${schedule(summary.schedule)}</code></dd></div>
      <div><dt>${t('field.items')}</dt><dd>${summary.items} ${t('text.on', {count: Object.keys(summary.owners).length})}</dd></div>
      ${overridden.length > 0 && html`<div><dt>${t('field.override')}</dt><dd><${Link} to=${[namespace, 'jobs', job]} query=${{tab: 'settings', fields: 'overridden'}}>
        ${overridden.join(', ')}</${Link}></dd></div>`}
      ${activity.failuresInARow > 0 && html`<div><dt>${t('field.failuresInARow')}</dt><dd class="bad">${activity.failuresInARow}</dd></div>`}
    </dl>
    <${Tabs} label=${job} current=${tab} tabs=${names.map(each => [each, t('tab.' + each), href([namespace, 'jobs', job], {tab: each === 'map' ? '' : each})])} />
    <${Tab} ...${common} value=${value} /></article>`;
}

function Labels({labels}) {
  const entries = Object.entries(labels);
  if (entries.length === 0) return null;
  return html`<ul class="labels">${entries.map(([name, text]) => html`<li>${name}: ${/^https?:\/\//.test(text)
    ? html`<a href=${text} rel="noreferrer noopener" target="_blank">${text}</a>` : text}</li>`)}</ul>`;
}
