// The account: each due fire of each item has run, was skipped for a reason, or is missing.
import {html, useState} from '../html.mjs';
import {at, get} from '../api.mjs';
import {number, words} from '../format.mjs';
import {route, setQuery} from '../router.mjs';
import {At, Empty, Link, Loaded, Skip, State, Table} from '../ui.mjs';
import {t} from '../texts.mjs';
import {useView} from '../view.mjs';

const HOURS = [1, 6, 24, 168];
const STATES = ['RUN', 'SKIPPED', 'INTERRUPTED', 'OPEN', 'UNKNOWN'];
const MOST = 500;

export function Account({namespace, job}) {
  const {hours = '6', state = ''} = route.value.query;
  const account = useView(namespace + job + hours, () => {
    const to = Date.now();
    return get(at(namespace, 'history', 'jobs', job, 'account'), {
      from: new Date(to - Number(hours) * 3_600_000).toISOString(), to: new Date(to).toISOString()});
  });
  return html`<p class="hint">${t('text.account')}</p>
    <div class="bar"><label>${t('field.period')} <select value=${hours} onChange=${event => setQuery({hours: event.target.value})}>
      ${HOURS.map(each => html`<option value=${each}>${t('hours.' + each)}</option>`)}</select></label>
      <label>${t('field.show')} <select value=${state} onChange=${event => setQuery({state: event.target.value})}><option value="">${t('text.notRun')}</option>
      ${STATES.map(each => html`<option value=${each}>${t('state.' + each)}</option>`)}</select></label></div>
    <${Loaded} view=${account}>${value => value.refusal ? html`<${Empty}>${words(value.refusal)}</${Empty}>`
      : html`<${Entries} namespace=${namespace} job=${job} entries=${value.entries} state=${state} />`}</${Loaded}>`;
}

function Entries({namespace, job, entries, state}) {
  const [most, setMost] = useState(MOST);
  const sums = {};
  for (const each of entries) sums[each.state] = (sums[each.state] ?? 0) + each.count;
  const open = entries.filter(each => each.state === 'OPEN').map(each => each.from).sort();
  const shown = entries.filter(each => state === '' ? each.state !== 'RUN' && each.state !== 'OPEN' : each.state === state);
  return html`<dl class="facts">${STATES.filter(each => sums[each] !== undefined).map(each => html`<div><dt><${State} state=${each} /></dt><dd>${each === 'OPEN' ? t('text.items', {count: new Set(entries.filter(one => one.state === each).map(one => one.item)).size}) : number(sums[each])}</dd></div>`)}</dl>
    ${shown.length === 0 ? html`<${Empty}>${t(state !== '' ? 'text.noEntries' : open.length === 0 ? 'text.allRan' : 'text.allDecidedRan')}
        ${state === '' && open.length > 0 && html` <${At} at=${open[0]} />`}</${Empty}>`
    : html`<${Table} label=${t('tab.account')} heads=${['item', 'state', 'fires', 'count', 'reason'].map(each => t('field.' + each))}>
      ${shown.slice(0, most).map(each => html`<tr><td>${each.item}</td><td><${State} state=${each.state} /></td>
        <td>${each.from === each.to && each.runId ? html`<${Link} to=${[namespace, 'jobs', job, 'runs', each.runId]} query=${{fireTime: each.to}}><${At} at=${each.to} /></${Link}>`
          : html`<${At} at=${each.from} /> – <${At} at=${each.to} />`}</td>
        <td>${each.count === 0 ? '' : number(each.count)}</td><td>${each.reason ? html`<${Skip} ...${each} />` : each.outcome ? t('state.' + each.outcome) : ''}</td></tr>`)}</${Table}>`}
    ${shown.length > most && html`<p class="pages"><button type="button" onClick=${() => setMost(most + MOST)}>${t('text.more', {count: number(Math.min(MOST, shown.length - most))})}</button></p>`}`;
}
