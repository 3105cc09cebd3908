// What needs you now: alarms, jobs that do not run as configured, and instances with a problem, each with the action that mends it.
import {html} from '../html.mjs';
import {at, get, session} from '../api.mjs';
import {CommandButton} from '../commands.mjs';
import {instanceName, number} from '../format.mjs';
import {useFollow} from '../live.mjs';
import {route} from '../router.mjs';
import {Ago, At, Due, Empty, Link, Loaded, Since, State, symbol, tone, Words} from '../ui.mjs';
import {t} from '../texts.mjs';
import {AGAIN, useView} from '../view.mjs';

/** The reason of health that says the same as an alarm, so that it is shown once. */
const SAME = {
  QUARANTINED: 'QUARANTINED_ITEMS', UNPLACED: 'UNPLACED_ITEMS', NO_INSTANCE: 'NO_HOST', PAUSED_LONG: 'PAUSED', RUNS_TOO_LONG: 'LONG_RUNNING_ITEMS',
};

const SETTINGS_MILLIS = 60_000;
const FAILURES_MILLIS = 15_000;

/** Reasons that an entry of the whole namespace or of an instance explains already. */
const OF_INSTANCES = new Set(['CLOCK_AHEAD', 'DRAINED', 'FROZEN']);

/** The reasons of a job without the wrong clock of an instance, which stands with the instance. */
export const ofJob = health => health.filter(each => each.reason.kind !== 'CLOCK_AHEAD');

/** Members of the exported override of a job that are no fields of its configuration. */
const NO_FIELDS = new Set(['removed', 'disabledItems', 'disabledInstances', 'skipTo', 'silencedAlarms', 'changes', 'requests', 'paused']);

/** Reasons that somebody has wanted; they are shown below the others. */
const WANTED = new Set(['PAUSED', 'FROZEN', 'DRAINED', 'DISABLED_ITEMS', 'DISABLED_INSTANCES', 'REMOVED']);

export function Overview({namespace}) {
  const overview = useView(namespace, () => read(namespace), (value, name) =>
    ['job', 'job-removed', 'alarm', 'alarm-removed', 'instance', 'instance-removed', 'namespace'].includes(name) ? AGAIN : undefined, 5000);
  const {value: last} = overview.value;
  useFollow(namespace, {shown: last === undefined ? [] : [...new Set([...last.problems.jobs, ...last.next].map(each => each.job))].sort().slice(0, 30)});
  return html`<${Loaded} view=${overview}>${value => html`<${Content} namespace=${namespace} value=${value} />`}</${Loaded}>`;
}

async function read(namespace) {
  const path = (...segments) => at(namespace, ...segments);
  const [details, problems, all, alarms, instances] = await Promise.all([
    get(path()),
    get(path('jobs'), {problems: true, sort: 'problems', limit: 100}),
    get(path('jobs'), {sort: 'nextFire', limit: 12}),
    get(path('alarms'), {firing: true}).catch(forbidden({alarms: []})),
    get(path('instances')),
  ]);
  return {details, problems, next: all.jobs, total: all.total, alarms: alarms.alarms, instances: instances.instances};
}

/** Jobs with overridden fields: [job, fields]. */
function overrides(settings) {
  return Object.entries(settings.overrides ?? {}).map(([job, override]) => [job, Object.keys(override).filter(each => !NO_FIELDS.has(each))])
    .filter(([, fields]) => fields.length > 0).sort();
}

const forbidden = value => problem => {
  if (problem.status === 403) return value;
  throw problem;
};

/** The reasons that neither an alarm nor the state of the job says already. */
export function untold(alarms, health, job) {
  const told = new Set(alarms.map(alarm => SAME[alarm.kind]));
  if (job.stateText) told.add(job.state); // with the person and the reason
  return health.filter(each => !told.has(each.reason.kind));
}

/** One entry for each job with its alarms and reasons, most urgent first. */
function troubles(value) {
  const jobs = new Map();
  const of = name => {
    if (!jobs.has(name)) jobs.set(name, {job: name, alarms: [], reasons: [], state: undefined});
    return jobs.get(name);
  };
  for (const alarm of value.alarms) of(alarm.job).alarms.push(alarm);
  for (const job of value.problems.jobs) {
    const entry = of(job.job);
    entry.state = job.state;
    entry.stateText = job.stateText;
    entry.items = job.items;
    entry.reasons = untold(entry.alarms, job.health, job).filter(each => !OF_INSTANCES.has(each.reason.kind));
    if (entry.alarms.length === 0 && entry.reasons.length === 0 && !job.stateText) jobs.delete(job.job);
  }
  const urgency = entry => (entry.alarms.some(alarm => !alarm.silenced) ? 0 : 2) + (entry.reasons.every(each => WANTED.has(each.reason.kind)) ? 1 : 0);
  return [...jobs.values()].sort((a, b) => urgency(a) - urgency(b) || since(a).localeCompare(since(b)));
}

const since = entry => [...entry.alarms.map(alarm => alarm.since), ...entry.reasons.map(each => each.reason.since), '9999'].sort()[0];

/** Views that cost more, and change less often. The settings need a role for all jobs. */
function useSlowViews(namespace) {
  const settings = useView(namespace + ' settings', () => get(at(namespace, 'settings')).catch(forbidden({})), undefined, SETTINGS_MILLIS);
  const failures = useView(namespace + ' failures', () => session.peek()?.console?.history === false ? Promise.resolve({})
    : get(at(namespace, 'history', 'failures'), {limit: 100}), undefined, FAILURES_MILLIS);
  return {overridden: overrides(settings.value.value ?? {}), failures: failures.value.value?.failures};
}

function Content({namespace, value}) {
  const {overridden, failures} = useSlowViews(namespace);
  const entries = troubles(value);
  const {details, instances} = value;
  const sick = instances.filter(each => each.problem || each.healthGap || each.clockAhead);
  const drained = Object.entries(details.drained);
  const calm = entries.length === 0 && sick.length === 0 && drained.length === 0 && !details.frozen && !details.problem && instances.length > 0;
  return html`<div class="overview">
    <section aria-labelledby="needs"><h1 id="needs">${t('title.needs')}</h1>
      ${details.problem && html`<article class="trouble bad"><p>${details.problem}</p></article>`}
      ${instances.length === 0 && html`<article class="trouble bad"><h2>${t('overview.noInstances')}</h2><p>${t('overview.noInstancesText')}</p></article>`}
      ${details.frozen && html`<article class="trouble hold"><h2><span aria-hidden="true">${symbol('FROZEN')}</span> ${t('overview.frozen')}</h2>
        <${Changed} change=${details.frozen} />
        <p class="actions"><${CommandButton} name="thaw" namespace=${namespace} version=${details.version} primary /></p></article>`}
      ${sick.map(each => html`<${InstanceTrouble} namespace=${namespace} instance=${each} />`)}
      ${entries.map(entry => html`<${Trouble} key=${entry.job ?? ''} namespace=${namespace} entry=${entry} />`)}
      ${drained.map(([name, change]) => html`<article class="trouble hold"><h2>${t('overview.drained', {name})}</h2><${Changed} change=${change} />
        <p class="actions"><${CommandButton} name="undrain-instance" namespace=${namespace} values=${{instance: name}} version=${details.version} /></p></article>`)}
      ${calm && html`<${Empty}><span class="ok" aria-hidden="true">✓</span> ${t('overview.calm', {jobs: number(value.total)})}</${Empty}>`}
    </section>
    <aside>
      <section><h2>${t('title.now')}</h2><dl class="figures">
        <div><dt><${Link} to=${[namespace, 'jobs']}>${t('nav.jobs')}</${Link}></dt><dd>${number(value.total)}</dd></div>
        <div><dt><${Link} to=${[namespace, 'instances']}>${t('nav.instances')}</${Link}></dt><dd>${number(instances.length)}</dd></div>
        <div><dt>${t('field.leader')}</dt><dd>${details.leader ? instanceName(details.leader) : t('text.none')}</dd></div>
      </dl></section>
      <section><h2>${t('title.next')}</h2>
        <ul class="plain">${value.next.filter(job => job.nextFire && job.state === 'ACTIVE').slice(0, 6).map(job => html`<li><${Link} to=${[namespace, 'jobs', job.job]}>${job.job}</${Link}>
          <span class="right"><${Due} at=${job.nextFire} /></span></li>`)}</ul></section>
      ${overridden.length > 0 && html`<section><h2>${t('title.overrides')}</h2><ul class="plain">${overridden.map(([job, fields]) => html`<li>
        <${Link} to=${[namespace, 'jobs', job]} query=${{tab: 'settings', fields: 'overridden'}}>${job}</${Link}><span class="right">${fields.join(', ')}</span></li>`)}</ul></section>`}
      ${failures !== undefined && html`<${Failures} namespace=${namespace} failures=${failures} />`}
    </aside></div>`;
}

function Failures({namespace, failures}) {
  const byJob = new Map();
  for (const run of failures) {
    const entry = byJob.get(run.job) ?? {job: run.job, count: 0, last: run};
    entry.count++;
    byJob.set(run.job, entry);
  }
  return html`<section><h2><${Link} to=${[namespace, 'failures']}>${t('title.failures')}</${Link}></h2>
    ${failures.length === 0 ? html`<p class="empty">${t('text.noFailures')}</p>`
    : html`<ul class="plain">${[...byJob.values()].slice(0, 8).map(each => html`<li>
      <${Link} to=${[namespace, 'jobs', each.job]} query=${{tab: 'runs'}}>${each.job}</${Link}> <span class="count" title=${t('text.failedRuns', {count: each.count})}>${each.count}${failures.length === 100 ? '+' : ''}</span>
      <span class="right"><${Link} to=${[namespace, 'jobs', each.job, 'runs', each.last.runId]} query=${{fireTime: each.last.fireTime}}><${Ago} at=${each.last.endedAt} /></${Link}></span></li>`)}</ul>`}</section>`;
}

export function Changed({change}) {
  return html`<p>${t('text.changed', {by: change.by || t('text.unnamed')})} <${Ago} at=${change.at} />${change.reason && html`: <q>${change.reason}</q>`}
    ${change.until && html` · ${t('text.until')} <${At} at=${change.until} />`}</p>`;
}

function InstanceTrouble({namespace, instance}) {
  const {id} = instance.instance;
  return html`<article class="trouble bad"><h2><${Link} to=${[namespace, 'instances']} query=${{instance: id}}>${instanceName(id)}</${Link}></h2>
    ${instance.clockAhead && html`<p>${t('overview.clock', {host: instance.instance.host})}</p>`}
    ${instance.problem && html`<p>${instance.problem}</p>`}
    ${instance.healthGap && html`<p>${instance.healthGap}</p>`}
    <p class="actions"><${CommandButton} name="drain-instance" namespace=${namespace} values=${{instance: instanceName(id)}} /></p></article>`;
}

function Trouble({namespace, entry}) {
  const worst = entry.alarms.some(alarm => !alarm.silenced) ? 'FIRING' : entry.reasons.every(each => WANTED.has(each.reason.kind)) ? 'PAUSED' : 'UNKNOWN';
  return html`<article class=${'trouble ' + tone(worst)}>
    <h2>${entry.job ? html`<${Link} to=${[namespace, 'jobs', entry.job]}>${entry.job}</${Link}>` : namespace}
      ${entry.state && entry.state !== 'ACTIVE' && html` <${State} state=${entry.state} />`}</h2>
    ${entry.state && entry.state !== 'ACTIVE' && entry.stateText && html`<p><${Words} text=${entry.stateText} /></p>`}
    <ul>${entry.alarms.map(alarm => html`<li><${Kind} kind=${alarm.kind} alarm /> <${Words} text=${alarm.text} />
        <span class="since"> · <${Since} at=${alarm.since} />${alarm.silenced && ' · ' + t('text.silenced')}</span></li>`)}
      ${entry.reasons.map(each => html`<li><${Kind} kind=${each.reason.kind} /> <${Words} text=${each.reason.text} /> <span class="since"> · <${Since} at=${each.reason.since} /></span></li>`)}</ul>
    ${entry.job && html`<p class="actions"><${Actions} namespace=${namespace} entry=${entry} /></p>`}</article>`;
}

/** A kind of alarm or reason in words. */
export function Kind({kind, alarm}) {
  return html`<strong class="kind">${alarm && html`<span aria-hidden="true">▲ </span>`}${t('kind.' + kind)}</strong>`;
}

/** The actions that mend what is wrong, the most likely first. */
export function Actions({namespace, entry, role}) {
  const kinds = new Set([...entry.alarms.map(each => each.kind), ...entry.reasons.map(each => each.reason.kind)]);
  const has = (...names) => names.some(name => kinds.has(name));
  const {job} = entry;
  const here = route.value.path[2] === job ? route.value.query : {};
  const isHere = query => Object.entries(query).every(([name, text]) => here[name] === text);
  const link = (text, query) => isHere(query) ? null : html`<${Link} class="button" to=${[namespace, 'jobs', job]} query=${query}>${t(text)}</${Link}>`;
  const button = (name, more = {}) => html`<${CommandButton} name=${name} namespace=${namespace} job=${job} role=${role} ...${more} />`;
  return html`
    ${entry.state === 'PAUSED' || has('PAUSED', 'PAUSED_LONG') ? button('resume', {primary: true}) : null}
    ${has('QUARANTINED', 'QUARANTINED_ITEMS') ? link('action.quarantined', {items: 'QUARANTINED'}) : null}
    ${has('OVERRIDE_STALE') ? link('action.settings', {tab: 'settings'}) : null}
    ${has('RUNS_TOO_LONG', 'LONG_RUNNING_ITEMS', 'STUCK_ITEMS', 'STOP_IGNORED', 'INTERRUPTED') ? link('action.running', {items: 'RUNNING'}) : null}
    ${has('FAILING') ? link('action.runs', {tab: 'runs'}) : null}
    ${has('MISSED', 'LATE') ? link('action.skipped', {tab: 'skipped'}) : null}
    ${has('NO_INSTANCE', 'NO_HOST') ? html`<${Link} class="button" to=${[namespace, 'instances']}>${t('action.allInstances')}</${Link}>` : null}
    ${has('UNPLACED', 'UNPLACED_ITEMS', 'DISABLED_INSTANCES') ? link('action.instances', {tab: 'settings', fields: 'placement'}) : null}
    ${has('DISABLED_ITEMS') ? link('action.disabled', {items: 'DISABLED'}) : null}
    ${has('DEFINITION_REPLACED', 'CONFIGURATION_REFUSED', 'NO_FIRES', 'STRATEGY_MISSING', 'BACKFILL_FAILED') ? link('action.settings', {tab: 'settings'}) : null}
    ${entry.alarms.some(alarm => !alarm.silenced) ? button('silence-alarms', {values: {kinds: [...new Set(entry.alarms.map(each => each.kind))], until: '60'}}) : null}`;
}
