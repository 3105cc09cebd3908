// What happened: takeovers, new leaders and plans, alarms that began or ended, and changes of jobs.
import {html} from '../html.mjs';
import {at} from '../api.mjs';
import {instanceName} from '../format.mjs';
import {useFollow} from '../live.mjs';
import {route, setQuery} from '../router.mjs';
import {At, Empty, Link, Loaded, Table, Words} from '../ui.mjs';
import {t} from '../texts.mjs';
import {More, usePages} from './runs.mjs';

const KINDS = ['TAKEN_OVER', 'FENCED', 'LEADER_CHANGED', 'PLAN_CHANGED', 'ALARM_BEGUN', 'ALARM_ENDED', 'ITEM_RELEASED', 'OVERRIDE_CHANGED', 'CURSOR_SET_BACK',
  'JOB_PURGED', 'LEVEL'];

/** Every instance reports its level of the history at its start; the events are shown on request only. */
const QUIET = new Set(['LEVEL']);

const TONES = {TAKEN_OVER: 'bad', FENCED: 'bad', ALARM_BEGUN: 'bad', ALARM_ENDED: 'ok'};

export function Events({namespace}) {
  useFollow(namespace);
  return html`<section><div class="title"><h1>${t('nav.events')}</h1></div><${List} namespace=${namespace} /></section>`;
}

/** The events of one job, as a tab. */
export const JobEvents = ({namespace, job}) => html`<${List} namespace=${namespace} job=${job} />`;

function List({namespace, job}) {
  const {kind = '', search = ''} = route.value.query;
  const pages = usePages(namespace + (job ?? ''), at(namespace, 'history', 'events'), 'events', job ? {job} : {});
  const text = each => [each.job, each.item, each.instance, each.detail].join(' ').toLowerCase();
  const rows = pages.rows.filter(each => (kind === '' ? !QUIET.has(each.kind) : each.kind === kind) && text(each).includes(search.toLowerCase()));
  const heads = ['time', 'kind', ...job ? [] : ['job'], 'item', 'instance', 'event'];
  return html`<form class="filters" role="search" onSubmit=${event => event.preventDefault()}>
      <label>${t('field.kind')} <select value=${kind} onChange=${event => setQuery({kind: event.target.value})}><option value="">${t('text.all')}</option>
        ${KINDS.map(each => html`<option value=${each}>${t('event.' + each)}</option>`)}</select></label>
      <label class="search">${t('field.searchShown')} <input type="search" value=${search} onInput=${event => setQuery({search: event.target.value})} /></label></form>
    <${Loaded} view=${pages.view}>${() => html`${rows.length === 0 ? html`<${Empty}>${t('text.noEvents')}</${Empty}>`
      : html`<${Table} label=${t('nav.events')} heads=${heads.map(each => t('field.' + each))}>
        ${rows.map(each => html`<tr><td><${At} at=${each.at} short=${false} /></td>
          <td><span class=${'state ' + (TONES[each.kind] ?? 'idle')}>${t('event.' + each.kind)}</span></td>
          ${!job && html`<td>${each.job && html`<${Link} to=${[namespace, 'jobs', each.job]}>${each.job}</${Link}>`}</td>`}
          <td>${each.item}</td><td class="name">${instanceName(each.instance)}</td><td><${Words} text=${each.detail} /></td></tr>`)}</${Table}>`}<${More} pages=${pages} />`}</${Loaded}>`;
}
