// Who changed what, when and why.
import {html} from '../html.mjs';
import {at, get} from '../api.mjs';
import {useFollow} from '../live.mjs';
import {route, setQuery} from '../router.mjs';
import {Ago, At, Empty, Link, Loaded, State, Table, Words} from '../ui.mjs';
import {CommandButton} from '../commands.mjs';
import {duration, instanceName, isoMillis, length} from '../format.mjs';
import {AGAIN, useView} from '../view.mjs';
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
  const state = useView(namespace + ' changes', () => present(namespace), (value, name) => name === 'job' || name === 'job-removed' ? AGAIN : undefined);
  const wanted = line => [line.actor, line.operation, line.target, line.reason].join(' ').toLowerCase().includes(search.toLowerCase());
  return html`<section><div class="title"><h1>${t('nav.audit')}</h1></div>
    <form class="filters" role="search" onSubmit=${event => event.preventDefault()}><label class="search">${t('field.searchShown')} <input type="search" value=${search}
      onInput=${event => setQuery({search: event.target.value})} /></label></form>
    <${Loaded} view=${pages.view}>${() => {
      const all = joined(pages.rows);
      const undo = undoable(all, state.value.value);
      const lines = all.filter(wanted);
      return lines.length === 0 ? html`<${Empty}>${t('text.noAudit')}</${Empty}>`
      : html`<${Table} label=${t('nav.audit')} heads=${['time', 'actor', 'operation', 'target', 'reason', 'outcome', 'actions'].map(each => t('field.' + each))}>
        ${lines.map(line => html`<tr><td><${At} at=${line.at} short=${false} /></td><td>${line.actor}<br /><small>${t('text.role', {role: line.role.toLowerCase()})} · ${line.origin}</small></td>
          <td>${command(line.operation)}<${Details} line=${line} /></td><td>${target(namespace, line)}</td><td><${Words} text=${line.reason ?? ''} /></td>
          <td>${line.outcome ? html`<${Outcome} text=${line.outcome} />` : html`<${State} state="UNKNOWN" />`}</td>
          <td class="actions">${undo.has(line) && html`<${CommandButton} name=${OPPOSITE[line.operation]} namespace=${namespace} job=${line.target} values=${undo.get(line)} small />`}</td></tr>`)}</${Table}><${More} pages=${pages} />`;
    }}</${Loaded}></section>`;
}

/** How a command ended; the words of the server say what it did. */
function Outcome({text}) {
  const [, kind, words] = /^(APPLIED|CONFLICT|REFUSED|UNCHANGED|UNKNOWN): ([^]*)$/.exec(text) ?? [text, 'APPLIED', text];
  return html`${kind !== 'APPLIED' && html`<strong class=${kind === 'UNCHANGED' ? '' : 'bad'}>${t('outcome.' + kind)}:</strong> `}<${Words} text=${words} />`;
}

/** The command that takes a change of a job back. */
const OPPOSITE = {PAUSE: 'resume', RESUME: 'pause', SET_OVERRIDE: 'remove-override', SILENCE_ALARMS: 'unsilence-alarms', BACKFILL: 'stop-backfill',
  STOP_BACKFILL: 'resume-backfill'};

/** Which of the changes is in effect now: settings by job, without the right to read them undefined, and backfills. */
async function present(namespace) {
  const [settings, backfills] = await Promise.all([get(at(namespace, 'settings')).catch(() => ({})), get(at(namespace, 'backfills')).catch(() => ({backfills: []}))]);
  return {overrides: settings.overrides ?? (settings.format ? {} : undefined), backfills: new Map(backfills.backfills.map(each => [each.job, each.state]))};
}

/** The latest applied change of each kind and job, with the values of its opposite, as long as the change is in effect. */
function undoable(lines, state) {
  const found = new Map();
  if (state === undefined) return found;
  const seen = new Set();
  for (const line of lines) {
    if (!Object.hasOwn(EFFECT, line.operation) || !line.outcome?.startsWith('APPLIED')) continue;
    const own = state.overrides?.[line.target] ?? {};
    const fields = line.operation === 'SET_OVERRIDE' ? listed(parts(line.detail).fields).filter(each => Object.hasOwn(own, each)) : [''];
    const fresh = fields.filter(each => !seen.has([line.target, KIND[line.operation], each].join(' ')));
    for (const each of fields) seen.add([line.target, KIND[line.operation], each].join(' '));
    if (Object.hasOwn(OPPOSITE, line.operation) && fresh.length > 0 && (state.overrides === undefined && !line.operation.includes('BACKFILL') || EFFECT[line.operation](own, state.backfills.get(line.target)))) {
      found.set(line, line.operation === 'SET_OVERRIDE' ? {fields: fresh} : {});
    }
  }
  return found;
}

/** Whether a change is in effect, from the settings of its job and the state of the job's backfill. */
const EFFECT = {PAUSE: own => own.paused === true, RESUME: own => own.paused !== true, SET_OVERRIDE: () => true, SILENCE_ALARMS: own => own.silencedAlarms !== undefined,
  UNSILENCE_ALARMS: () => false, BACKFILL: (own, backfill) => backfill === 'RUNNING', STOP_BACKFILL: (own, backfill) => backfill === 'STOPPED',
  RESUME_BACKFILL: () => false};

/** Operations of the same kind replace each other's changes. */
const KIND = {PAUSE: 'pause', RESUME: 'pause', SET_OVERRIDE: 'override', SILENCE_ALARMS: 'silence', UNSILENCE_ALARMS: 'silence', BACKFILL: 'backfill', STOP_BACKFILL: 'backfill',
  RESUME_BACKFILL: 'backfill'};

/** The values of a command, from a text such as job=a, fields=[b, c], until=null. */
const parts = detail => Object.fromEntries((detail ?? '').split(/, (?=[A-Za-z]+=)/).filter(each => each.includes('=')).map(each => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]));

const listed = text => (text ?? '').replace(/^[[{]|[\]}]$/g, '').split(', ').filter(each => each !== '');

/** The values of a command in words, without those that say nothing or stand in another column. */
function Details({line}) {
  const known = Object.entries(parts(line.detail)).filter(([, text]) => !['null', '', '[]', '{}', 'PT0S', line.target].includes(text));
  if (known.length === 0) return parts(line.detail).job || !line.detail || line.detail.includes('=') ? null : html`<br /><small><${Words} text=${line.detail} /></small>`;
  return html`<br /><small>${known.map(([name, text], index) => html`${index > 0 && ' · '}${t('field.' + name)}: <${Words} text=${
    text === 'true' ? t('text.yes') : text === 'false' ? t('text.no') : /^PT\d/.test(text) ? length(isoMillis(text)) : listed(text).join(', ')} />`)}</small>`;
}

const command = operation => t('command.' + operation.toLowerCase().replaceAll('_', '-'));

const isJob = (namespace, text) => /^[A-Za-z0-9._-]+$/.test(text) && text !== namespace;

function target(namespace, {operation, target: text}) {
  if (operation.endsWith('_INSTANCE') && !['DISABLE_INSTANCE', 'ENABLE_INSTANCE'].includes(operation)) {
    return html`<${Link} to=${[namespace, 'instances']} query=${{instance: text}}>${instanceName(text)}</${Link}>`;
  }
  return isJob(namespace, text) ? html`<${Link} to=${[namespace, 'jobs', text]}>${text}</${Link}>` : html`<${Words} text=${text} />`;
}

/** What is known of a run that nobody could report the error of. */
export const unsaid = outcome => outcome === 'LOST' ? t('text.lost') : outcome === 'CRASHED' ? t('text.crashed') : '';

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
      : html`<${Table} label=${t('title.failures')} heads=${['endedAt', 'job', 'fire', 'item', 'outcome', 'instance', 'ran', 'error'].map(each => t('field.' + each))}>
        ${rows.map(row => html`<tr key=${row.nonce}><td><${Ago} at=${row.endedAt} /></td>
          <td><${Link} to=${[namespace, 'jobs', row.job]}>${row.job}</${Link}></td>
          <td><${Link} to=${[namespace, 'jobs', row.job, 'runs', row.runId]} query=${{fireTime: row.fireTime}}><${At} at=${row.fireTime} /></${Link}></td><td>${row.item}</td>
          <td><${State} state=${row.outcome} /></td><td>${instanceName(row.instance)}</td>
          <td>${duration(Date.parse(row.endedAt) - Date.parse(row.startedAt ?? row.claimedAt))}</td><td class=${'error' + (row.error ? ' mono' : '')} title=${row.error}><div><${Words} text=${row.error ?? unsaid(row.outcome)} /></div></td></tr>`)}</${Table}>
        <${More} pages=${pages} />`}</${Loaded}></section>`;
}
