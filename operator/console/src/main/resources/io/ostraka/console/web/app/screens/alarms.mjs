// Alarms: those that last, the last ended ones, and who has been told.
import {html} from '../html.mjs';
import {at, get} from '../api.mjs';
import {CommandButton} from '../commands.mjs';
import {useFollow} from '../live.mjs';
import {route, setQuery} from '../router.mjs';
import {Ago, At, Changed, Empty, Link, Loaded, Since, State, tone, Words} from '../ui.mjs';
import {t} from '../texts.mjs';
import {useView} from '../view.mjs';
import {Kind} from './overview.mjs';

const KINDS = ['MISSED', 'LATE', 'RUNS_TOO_LONG', 'FAILING', 'QUARANTINED', 'UNPLACED', 'NO_INSTANCE', 'PAUSED_LONG', 'OVERRIDE_STALE', 'HISTORY_LOST'];

export function Alarms({namespace}) {
  const {kind = '', ended = ''} = route.value.query;
  const view = useView(namespace, () => get(at(namespace, 'alarms')), change, 5000);
  useFollow(namespace);
  return html`<section><div class="title"><h1>${t('nav.alarms')}</h1></div>
    <form class="filters" onSubmit=${event => event.preventDefault()}>
      <label>${t('field.kind')} <select value=${kind} onChange=${event => setQuery({kind: event.target.value})}><option value="">${t('text.all')}</option>
        ${KINDS.map(each => html`<option value=${each}>${t('kind.' + each)}</option>`)}</select></label>
      <label class="check"><input type="checkbox" checked=${ended === 'true'} onChange=${event => setQuery({ended: event.target.checked ? 'true' : ''})} /> ${t('field.ended')}</label></form>
    <${Loaded} view=${view}>${value => html`<${List} namespace=${namespace} alarms=${value.alarms.filter(each => (kind === '' || each.kind === kind)
      && (ended === 'true' || each.ended === undefined))} />`}</${Loaded}></section>`;
}

function change(value, name, data) {
  if (name === 'alarm') return {alarms: [...value.alarms.filter(each => each.id !== data.id), data]};
  return name === 'alarm-removed' ? {alarms: value.alarms.filter(each => each.id !== data.id)} : undefined;
}

function List({namespace, alarms}) {
  if (alarms.length === 0) return html`<${Empty}><span class="ok" aria-hidden="true">✓</span> ${t('text.noAlarms')}</${Empty}>`;
  const order = each => (each.ended === undefined ? 0 : 2) + (each.silenced ? 1 : 0);
  return html`<div class="stack">${[...alarms].sort((a, b) => order(a) - order(b) || b.began.localeCompare(a.began)).map(alarm => html`<${Alarm} key=${alarm.id} namespace=${namespace} alarm=${alarm} />`)}</div>`;
}

function Alarm({namespace, alarm}) {
  const state = alarm.ended !== undefined ? 'RESOLVED' : alarm.silenced ? 'SILENCED' : 'FIRING';
  const told = alarm.ended === undefined ? alarm.received : alarm.receivedEnd;
  return html`<article class=${'trouble ' + tone(state)} data-job=${alarm.job}><h2><${Kind} kind=${alarm.kind} /> ${alarm.job
      ? html`<${Link} to=${[namespace, 'jobs', alarm.job]}>${alarm.job}</${Link}>` : namespace} <${State} state=${state} /></h2>
    <p><${Words} text=${alarm.text} /></p>
    ${alarm.silence && html`<div class="silence">${t('state.SILENCED')}<${Changed} change=${alarm.silence} /></div>`}
    <dl class="facts"><div><dt>${t('field.since')}</dt><dd><${At} at=${alarm.since} /></dd></div>
      ${alarm.ended === undefined ? html`<div><dt>${t('field.lasts')}</dt><dd><${Since} at=${alarm.since} /></dd></div>`
        : html`<div><dt>${t('field.endedAt')}</dt><dd><${Ago} at=${alarm.ended} /></dd></div>`}
      ${alarm.itemCount > 0 && html`<div><dt>${t('field.items')}</dt><dd>${alarm.items.slice(0, 10).join(', ')}${alarm.itemCount > 10 && ' …'} (${alarm.itemCount})</dd></div>`}
      <div><dt>${t('field.told')}</dt><dd>${told.length === 0 ? t('text.none') : told.join(', ')}</dd></div></dl>
    ${alarm.job && alarm.ended === undefined && html`<p class="actions">${alarm.silenced
      ? html`<${CommandButton} name="unsilence-alarms" namespace=${namespace} job=${alarm.job} />`
      : html`<${CommandButton} name="silence-alarms" namespace=${namespace} job=${alarm.job} values=${{kinds: [alarm.kind], until: '60'}} />`}</p>`}</article>`;
}
