// Each field of the configuration as its definition says, as an operator has overridden it, and as it is in force.
import {html} from '../html.mjs';
import {CommandButton} from '../commands.mjs';
import {isoMillis, length, schedule, words as readable} from '../format.mjs';
import {route, setQuery} from '../router.mjs';
import {Changed, Table, Words} from '../ui.mjs';
import {t} from '../texts.mjs';

/** Fields of the definition that an operator cannot override. */
const FIXED = new Set(['jobName', 'type', 'script', 'http', 'executor', 'pauseReason', 'revision', 'scope', 'streaming']);
/** Fields whose override cannot be taken back, so that it needs the highest role. */
const RISING = new Set(['fenceEpoch']);
const PLACEMENT = ['requiredInstances', 'preferredInstances', 'instances', 'shardingStrategy', 'strategy', 'placement', 'zone', 'weight', 'maxItemsPerInstance', 'disabledInstances'];

/** A value of the configuration as text: plain for simple values, else JSON. */
export function shown(value) {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A value in words: durations in their units, and the members of an object one after the other. */
function words(value) {
  if (Array.isArray(value)) return value.map(words).join(', ');
  if (value !== null && typeof value === 'object') return Object.entries(value).map(([name, each]) => name === 'type' ? words(each) : name + ': ' + words(each)).join(', ');
  const millis = /^P.*\d/.test(value) ? isoMillis(value) : NaN;
  return Number.isNaN(millis) ? readable(shown(value)) : length(millis);
}

/** A value in words; one of several members also as JSON, on demand. */
function Value({field, value}) {
  if (value === undefined || value === null || typeof value !== 'object') return html`<code>${words(value)}</code>`;
  return html`${field === 'schedule' ? schedule(value) : words(value)}<details class="json"><summary>JSON</summary><code>${shown(value)}</code></details>`;
}

const isEmpty = value => value === undefined || value === null || value === '' || typeof value === 'object' && Object.keys(value).length === 0;

/** Whether the server hides the value. A form must not send the asterisks as the new value. */
const isHidden = value => value === '***' || value !== undefined && value !== null && Object.values(value).includes('***');

export function Settings({namespace, job, role, value}) {
  const {fields: filter = 'set'} = route.value.query;
  const wanted = each => filter === 'all' || each.overridden || (filter === 'placement' ? PLACEMENT.some(name => each.field.toLowerCase().includes(name.toLowerCase()))
    : filter !== 'overridden' && !isEmpty(each.effective));
  const fields = value.fields.filter(wanted);
  const common = {namespace, job, role, version: value.version, small: true};
  const overridden = value.fields.filter(each => each.overridden);
  return html`<div class="bar"><span>${t('text.fields', {count: fields.length, total: value.fields.length})}</span>
      <label>${t('field.show')} <select value=${filter} onChange=${event => setQuery({fields: event.target.value})}>
        ${['set', 'overridden', 'placement', 'all'].map(each => html`<option value=${each}>${t('fields.' + each)}</option>`)}</select></label>
      ${overridden.length > 0 && html`<${CommandButton} name="remove-override" ...${common} label=${t('action.allOverrides')} />`}</div>
    <${Table} label=${t('tab.settings')} heads=${['field', 'definition', 'override', 'inForce', 'actions'].map(each => t('field.' + each))}>
      ${fields.map(each => html`<tr key=${each.field} class=${each.overridden ? 'chosen' : ''}><th scope="row"><code>${each.field}</code></th>
        <td class="value"><${Value} field=${each.field} value=${each.defined} /></td>
        <td class="value">${each.overridden && (each.effective === undefined || each.effective === null ? t('text.noValue') : html`<${Value} field=${each.field} value=${each.effective} />`)}
          ${each.change && html`<${Changed} change=${each.change} />`}</td>
        <td class="value"><${Value} field=${each.field} value=${each.effective} /></td>
        <td class="actions">${!FIXED.has(each.field) && html`<${CommandButton} name="set-override" ...${common} label=${t('action.override')} least=${RISING.has(each.field) ? 'ADMIN' : undefined}
            values=${{fields: {field: each.field, ...(isHidden(each.effective) ? {} : {text: shown(each.effective), json: each.effective})}}} />`}
          ${each.overridden && html`<${CommandButton} name="remove-override" ...${common} label=${t('action.takeBack')} values=${{fields: [each.field]}} />`}</td></tr>`)}
    </${Table}>
    ${value.disabledInstances.length > 0 && html`<h2>${t('title.disabledInstances')}</h2><ul class="plain">${value.disabledInstances.map(each => html`<li>
      <code>${each}</code> <${CommandButton} name="enable-instance" ...${common} values=${{instance: each}} /></li>`)}</ul>`}
    <p class="hint">${t('text.registeredBy')} <${Words} text=${value.registeredBy} /></p>`;
}
