// Who changed what, when and why.
import {html} from '../html.mjs';
import {at} from '../api.mjs';
import {useFollow} from '../live.mjs';
import {route, setQuery} from '../router.mjs';
import {Ago, At, Empty, Link, Loaded, State, Table, Words} from '../ui.mjs';
import {CommandButton} from '../commands.mjs';
import {duration, instanceName} from '../format.mjs';
import {t} from '../texts.mjs';
import {More, usePages} from './runs.mjs';

/** Each command has a row before and a row after it; they are shown as one line. */
function joined(steps) {
  const lines = new Map();
  for (const step of steps) {
    const key = step.requestId + ' ' + step.operation + ' ' + step.target;
    const line = lines.get(key);
    if (line === undefined || line.outcome === undefined && step.outcome !== undefined) {
      lines.set(key, {...line, ...step, reason: step.reason || line?.reason});
    }
  }
  return [...lines.values()];
}

export function Audit({namespace}) {
  const {search = ''} = route.value.query;
  useFollow(namespace);
  const pages = usePages(namespace, at(namespace, 'history', 'audit'), 'steps');
  const wanted = line => [line.actor, line.operation, line.target, line.reason].join(' ').toLowerCase().includes(search.toLowerCase());
  return html`<section><div class="title"><h1>${t('nav.audit')}</h1></div>
    <form class="filters" role="search" onSubmit=${event => event.preventDefault()}><label class="search">${t('field.searchShown')} <input type="search" value=${search}
      onInput=${event => setQuery({search: event.target.value})} /></label></form>
    <${Loaded} view=${pages.view}>${() => {
      const lines = joined(pages.rows).filter(wanted);
      return lines.length === 0 ? html`<${Empty}>${t('text.noAudit')}</${Empty}>`
      : html`<${Table} label=${t('nav.audit')} heads=${['time', 'actor', 'operation', 'target', 'reason', 'outcome', 'actions'].map(each => t('field.' + each))}>
        ${lines.map(line => html`<tr><td><${At} at=${line.at} /></td><td>${line.actor} <small>${line.role.toLowerCase()} · ${line.origin}</small></td>
          <td>${command(line.operation)}${line.detail && html`<br /><small><${Words} text=${line.detail} /></small>`}</td><td>${target(namespace, line.target)}</td><td>${line.reason}</td>
          <td>${line.outcome ? html`<${Words} text=${line.outcome} />` : html`<${State} state="UNKNOWN" />`}</td>
          <td class="actions">${isJob(namespace, line.target) && Object.hasOwn(OPPOSITE, line.operation)
            && html`<${CommandButton} name=${OPPOSITE[line.operation]} namespace=${namespace} job=${line.target} small />`}</td></tr>`)}</${Table}><${More} pages=${pages} />`;
    }}</${Loaded}></section>`;
}

/** The command that takes a change of a job back. */
const OPPOSITE = {PAUSE: 'resume', RESUME: 'pause', SET_OVERRIDE: 'remove-override', SILENCE_ALARMS: 'unsilence-alarms', BACKFILL: 'stop-backfill',
  STOP_BACKFILL: 'resume-backfill'};

const command = operation => t('command.' + operation.toLowerCase().replaceAll('_', '-'));

const isJob = (namespace, text) => /^[A-Za-z0-9._-]+$/.test(text) && text !== namespace;

const target = (namespace, text) => isJob(namespace, text)
  ? html`<${Link} to=${[namespace, 'jobs', text]}>${text}</${Link}>` : text;

/** Failed runs of all jobs, newest first. */
export function Failures({namespace}) {
  const {search = ''} = route.value.query;
  useFollow(namespace);
  const pages = usePages(namespace, at(namespace, 'history', 'failures'), 'failures');
  const rows = pages.rows.filter(row => (row.job + ' ' + (row.error ?? '')).toLowerCase().includes(search.toLowerCase()));
  return html`<section><div class="title"><h1>${t('title.failures')}</h1></div>
    <form class="filters" role="search" onSubmit=${event => event.preventDefault()}><label class="search">${t('field.searchShown')} <input type="search" value=${search}
      onInput=${event => setQuery({search: event.target.value})} /></label></form>
    <${Loaded} view=${pages.view}>${() => rows.length === 0 ? html`<${Empty}>${t('text.noFailures')}</${Empty}>`
      : html`<${Table} label=${t('title.failures')} heads=${['endedAt', 'job', 'item', 'outcome', 'instance', 'ran', 'error'].map(each => t('field.' + each))}>
        ${rows.map(row => html`<tr key=${row.nonce}><td><${Ago} at=${row.endedAt} /></td>
          <td><${Link} to=${[namespace, 'jobs', row.job, 'runs', row.runId]} query=${{fireTime: row.fireTime}}>${row.job}</${Link}></td><td>${row.item}</td>
          <td><${State} state=${row.outcome} /></td><td>${instanceName(row.instance)}</td>
          <td>${duration(Date.parse(row.endedAt) - Date.parse(row.startedAt ?? row.claimedAt))}</td><td class="mono error" title=${row.error}><div>${row.error ?? ''}</div></td></tr>`)}</${Table}>
        <${More} pages=${pages} />`}</${Loaded}></section>`;
}
