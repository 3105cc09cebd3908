// What needs you now: the problems that the server has found, each with the actions that mend it.
import {html} from '../html.mjs';
import {at, get, session} from '../api.mjs';
import {CommandButton} from '../commands.mjs';
import {instanceName, number} from '../format.mjs';
import {useFollow} from '../live.mjs';
import {route} from '../router.mjs';
import {Ago, Due, Empty, Link, Loaded, Since, Words} from '../ui.mjs';
import {t} from '../texts.mjs';
import {AGAIN, useView} from '../view.mjs';

const FAILURES_MILLIS = 15_000;
const PROBLEMS_MILLIS = 10_000;

/** Class of the box of a problem by the problem's level, most urgent first. */
const LEVELS = {ERROR: 'bad', WARNING: 'hold', NOTE: 'idle'};

/** Filter of the map of items for each kind of problem about items. */
const ITEMS = {
  QUARANTINED_ITEMS: 'QUARANTINED', QUARANTINED_DISABLED_ITEMS: 'QUARANTINED', DISABLED_ITEMS: 'DISABLED', INTERRUPTED_ITEMS: 'INTERRUPTED',
  LONG_RUNNING_ITEMS: 'RUNNING', SLOW_ITEMS: 'RUNNING', ITEM_COUNT_CHANGING: 'RUNNING', ITEM_COUNT_POSTPONED: 'RUNNING',
};

/** Kinds of problems whose items are in a list of past or skipped fires. */
const TABS = {SKIPPED_FIRES: 'skipped', MISSED: 'skipped', LATE: 'skipped', FAILING: 'runs'};

export function Overview({namespace}) {
  const overview = useView(namespace, () => read(namespace), (value, name) =>
    ['job', 'job-removed', 'alarm', 'alarm-removed', 'instance', 'instance-removed', 'namespace'].includes(name) ? AGAIN : undefined, PROBLEMS_MILLIS);
  const {value: last, since} = overview.value;
  useFollow(namespace, {shown: last === undefined ? [] : [...new Set([...last.problems, ...last.next].flatMap(each => each.job ?? []))].sort().slice(0, 30), since});
  return html`${last === undefined && html`<h1>${namespace}</h1>`}<${Loaded} view=${overview}>${value => html`<${Content} namespace=${namespace} value=${value} />`}</${Loaded}>`;
}

async function read(namespace) {
  const path = (...segments) => at(namespace, ...segments);
  const [details, {problems}, all] = await Promise.all([get(path()), get(path('problems')), get(path('jobs'), {sort: 'nextFire', limit: 12})]);
  return {details, problems, next: all.jobs, total: all.total};
}

/** The problems of each job, and each problem of the namespace alone, in the order of the server: most urgent first. */
export function grouped(problems) {
  const groups = new Map();
  problems.forEach((each, index) => {
    const key = each.job ?? index;
    groups.set(key, [...groups.get(key) ?? [], each]);
  });
  return [...groups.values()];
}

function Content({namespace, value}) {
  const history = session.peek()?.console?.history !== false;
  const failures = useView(namespace + ' failures', () => history ? get(at(namespace, 'history', 'failures'), {limit: 100}) : Promise.resolve({}),
    undefined, FAILURES_MILLIS).value.value?.failures;
  const {details, problems} = value;
  return html`<div class="overview">
    <section aria-labelledby="needs"><h1 id="needs">${t('title.needs')}</h1>
      ${problems.every(each => each.level === 'NOTE') && html`<${Empty}><span class="ok" aria-hidden="true">✓</span> ${t(problems.length === 0 ? 'overview.calm' : 'overview.notes', {jobs: number(value.total)})}</${Empty}>`}
      ${grouped(problems).map(each => html`<${Problems} key=${each[0].job ?? each[0].text} namespace=${namespace} problems=${each} />`)}
    </section>
    <aside>
      <section><h2>${t('title.now')}</h2><dl class="figures">
        <div><dt><${Link} to=${[namespace, 'jobs']}>${t('nav.jobs')}</${Link}></dt><dd>${number(value.total)}</dd></div>
        <div><dt><${Link} to=${[namespace, 'instances']}>${t('nav.instances')}</${Link}></dt><dd>${number(details.instances)}</dd></div>
        <div><dt>${t('field.leader')}</dt><dd>${details.leader ? instanceName(details.leader) : t('text.none')}</dd></div>
      </dl></section>
      <section><h2>${t('title.next')}</h2>
        <ul class="plain">${value.next.filter(job => job.nextFire && job.state === 'ACTIVE').slice(0, 6).map(job => html`<li><${Link} to=${[namespace, 'jobs', job.job]}>${job.job}</${Link}>
          <span class="right"><${Due} job=${job} /></span></li>`)}</ul></section>
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

/** The advice for a problem that no button gives, and if there is a choice of commands, when to take which. */
function advice({remedies}) {
  const isChoice = new Set(remedies.filter(each => each.command).map(each => each.operation)).size > 1;
  return [...new Set(remedies.filter(each => !each.operation || isChoice && each.command).map(each => each.text))];
}

/** Problems of one job or of the namespace, with the actions that mend them. The page of a job does not name the job again. */
export function Problems({namespace, problems, role, named = true}) {
  const {job, level, instances} = problems[0];
  const title = job ? html`<${Link} to=${[namespace, 'jobs', job]}>${job}</${Link}>`
    : instances.length === 1 ? html`<${Link} to=${[namespace, 'instances']} query=${{instance: instances[0]}}>${instanceName(instances[0])}</${Link}>` : namespace;
  return html`<article class=${'trouble ' + LEVELS[level]} data-job=${job} aria-label=${t('title.reasons')}>${named && html`<h2>${title}</h2>`}
    <ul>${problems.map(each => html`<li data-kind=${each.kind} data-level=${each.level}><${Kind} kind=${each.kind} alarm=${each.alarms.length > 0} /> <${Words} text=${each.text} />
      ${each.since && html`<span class="since"> · <${Since} at=${each.since} /></span>`}
      ${each.details.map(detail => html`<br /><small><${Words} text=${detail} /></small>`)}
      ${advice(each).map(text => html`<br /><small>→ <${Words} text=${text} /></small>`)}</li>`)}</ul>
    <p class="actions"><${Actions} namespace=${namespace} problems=${problems} role=${role} /></p></article>`;
}

/** Kinds of problems that an instance has if it runs the items, or ran them, by the state in which this puts the instance. */
const INSTANCE_STATES = {INSTANCE_GONE: 'DEAD', INTERRUPTED_ITEMS: 'DEAD', STUCK_ITEMS: 'STUCK', STOP_IGNORED: 'STUCK', LONG_RUNNING_ITEMS: 'STUCK', NO_THREADS: 'STUCK',
  INSTANCE_PROBLEM: 'FAULTY', HEALTH_GAP: 'UNKNOWN', CLOCK_AHEAD: 'FAULTY'};

/** The state of an instance with the problems that cause it. instance: its view, or undefined if it is not registered any more. */
export function instanceState(id, instance, problems) {
  const states = instance === undefined ? ['DEAD'] : ['STUCK', 'FAULTY', 'UNKNOWN'];
  const causes = problems.filter(each => states.includes(INSTANCE_STATES[each.kind]) && each.instances.includes(id));
  const state = states.find(each => causes.some(({kind}) => INSTANCE_STATES[kind] === each));
  return {state: state ?? instance?.state, causes};
}

/** The instances that are dead although items are still theirs. */
export function deadInstances(instances, problems) {
  const live = new Set(instances.map(each => each.instance.id));
  const named = problems.filter(each => INSTANCE_STATES[each.kind] === 'DEAD').flatMap(each => each.instances);
  return [...new Set(named)].filter(id => !live.has(id)).sort();
}

/** A kind of alarm or problem in words. */
export function Kind({kind, alarm}) {
  return html`<strong class="kind">${alarm && html`<span aria-hidden="true">▲ </span>`}${t('kind.' + kind)}</strong>`;
}

/** The buttons and links of the remedies, each once. Of commands for several items there is a link to the items instead. */
function Actions({namespace, problems, role}) {
  const actions = new Map();
  for (const problem of problems) {
    for (const {operation, command} of problem.remedies.filter(each => each.operation)) {
      const several = problem.remedies.filter(each => each.operation === operation).length > 1 && problem.remedies.some(each => each.operation === 'ITEMS');
      const [key, action] = command ? [operation, several ? null : button(namespace, operation, command, role)] : link(namespace, operation, problem);
      if (!actions.has(key)) actions.set(key, action);
    }
  }
  const alarms = [...new Set(problems.flatMap(each => each.alarms))];
  return html`${[...actions.values()]} ${alarms.length > 0 && problems[0].job && html`<${CommandButton} name="silence-alarms" namespace=${namespace} job=${problems[0].job}
    role=${role} values=${{kinds: alarms, until: '60'}} />`}`;
}

function button(namespace, operation, {job, ...values}, role) {
  const isGiven = value => typeof value !== 'object' || Object.keys(value).length > 0;
  return html`<${CommandButton} name=${operation.toLowerCase().replaceAll('_', '-')} namespace=${namespace} job=${job} role=${role}
    values=${Object.fromEntries(Object.entries(values).filter(([, value]) => isGiven(value)))} />`;
}

/** The screen that shows a view, as [key, link]; no link to the tab that is open. */
function link(namespace, operation, {job, kind}) {
  const tab = TABS[kind];
  const [text, path, query] = {
    ITEMS: tab ? ['action.' + tab, ['jobs', job], {tab}] : ['action.items', ['jobs', job], ITEMS[kind] ? {items: ITEMS[kind]} : {}],
    JOB: ['action.settings', ['jobs', job], {tab: 'settings'}],
    BACKFILLS: ['action.settings', ['jobs', job], {tab: 'settings'}],
    ALARMS: ['nav.alarms', ['alarms'], {}],
    JOBS: ['nav.jobs', ['jobs'], {problems: 'true'}],
    INSTANCES: ['action.allInstances', ['instances'], {}],
  }[operation];
  const isHere = path.every((each, index) => route.value.path[index + 1] === each) && Object.entries(query).every(([name, value]) => route.value.query[name] === value);
  return [text + Object.values(query), isHere ? null : html`<${Link} class="button" to=${[namespace, ...path]} query=${query}>${t(text)}</${Link}>`];
}
