// What needs you now: the problems that the server has found, each with the actions that mend it.
import {html, useRef} from '../html.mjs';
import {at, get, session} from '../api.mjs';
import {CommandButton} from '../commands.mjs';
import {instanceName, number} from '../format.mjs';
import {useFollow} from '../live.mjs';
import {route} from '../router.mjs';
import {Ago, Due, Empty, jobState, Link, Loaded, Since, useFreeze, Words} from '../ui.mjs';
import {t} from '../texts.mjs';
import {AGAIN, useView} from '../view.mjs';

const FAILURES_MILLIS = 15_000;
const PROBLEMS_MILLIS = 10_000;

/** Class of the box of a problem by the problem's level, most urgent first. */
const LEVELS = {ERROR: 'bad', WARNING: 'hold', NOTE: 'idle'};

/** Filter of the map of items for each kind of problem about items. */
const ITEMS = {
  STUCK_ITEMS: 'STUCK', QUARANTINED_ITEMS: 'QUARANTINED', QUARANTINED_DISABLED_ITEMS: 'QUARANTINED', DISABLED_ITEMS: 'DISABLED', INTERRUPTED_ITEMS: 'INTERRUPTED',
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

/** The problems of each job, and each other problem alone, by a key that stays while the texts change. */
function grouped(problems) {
  const groups = new Map();
  for (const each of problems) {
    const key = each.job ?? [each.kind, ...each.instances].join(' ');
    groups.set(key, [...groups.get(key) ?? [], each]);
  }
  return [...groups].map(([key, all]) => ({key, all, level: Object.keys(LEVELS).indexOf(all[0].level), since: all.map(each => each.since ?? '~').sort()[0]}));
}

/** Puts groups of problems below those that are shown already: of the same level or, if nothing may move, of any level. */
function ordered(groups, shown, fixed) {
  const place = ({key, level}) => {
    const index = shown.findIndex(each => each.key === key && (fixed || each.level === level));
    return index < 0 ? shown.length : index;
  };
  const byAge = (a, b) => a.level - b.level || a.since.localeCompare(b.since);
  return groups.sort((a, b) => !fixed && a.level - b.level || place(a) - place(b) || byAge(a, b));
}

function Content({namespace, value}) {
  const history = session.peek()?.console?.history !== false;
  const failures = useView(namespace + ' failures', () => history ? get(at(namespace, 'history', 'failures'), {limit: 100}) : Promise.resolve({}),
    undefined, FAILURES_MILLIS).value.value?.failures;
  const {details, problems} = value;
  useFreeze(details);
  const list = useRef(null);
  const shown = useRef([]);
  shown.current = ordered(grouped(problems), shown.current, list.current?.matches(':hover, :focus-within'));
  return html`<div class="overview">
    <section ref=${list} aria-labelledby="needs"><h1 id="needs">${t('title.needs')}</h1>
      ${problems.every(each => each.level === 'NOTE') && html`<${Empty}><span class="ok" aria-hidden="true">✓</span> ${t(problems.length === 0 ? 'overview.calm' : 'overview.notes', {jobs: number(value.total)})}</${Empty}>`}
      ${shown.current.map(each => html`<${Problems} key=${each.key} namespace=${namespace} problems=${each.all} />`)}
    </section>
    <aside>
      <section><h2>${t('title.now')}</h2><dl class="figures">
        <div><dt><${Link} to=${[namespace, 'jobs']}>${t('nav.jobs')}</${Link}></dt><dd>${number(value.total)}</dd></div>
        <div><dt><${Link} to=${[namespace, 'instances']}>${t('nav.instances')}</${Link}></dt><dd>${number(details.instances)}</dd></div>
        <div><dt>${t('field.leader')}</dt><dd>${details.leader ? instanceName(details.leader) : t('text.none')}</dd></div>
      </dl></section>
      <section><h2>${t('title.next')}</h2>
        <ul class="plain">${value.next.filter(job => job.nextFire && ['ACTIVE', 'FROZEN'].includes(jobState(job))).slice(0, 6).map(job => html`<li><${Link} to=${[namespace, 'jobs', job.job]}>${job.job}</${Link}>
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

/** Whether a remedy is one of several items, for which one link to the items stands instead of a button for each. */
const isOneOfSeveral = ({operation}, remedies) => remedies.filter(each => each.operation === operation).length > 1 && remedies.some(each => each.operation === 'ITEMS');

/** When to take a remedy, if its problem offers a choice of commands. */
function when({command, text}, remedies) {
  const isChoice = new Set(remedies.filter(each => each.command).map(each => each.operation)).size > 1;
  return command && isChoice ? [text] : [];
}

/** The advice for a problem that stands beside no button. */
const advice = ({remedies}) => [...new Set(remedies.flatMap(each => !each.operation ? [each.text] : isOneOfSeveral(each, remedies) ? when(each, remedies) : []))];

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
    <${Actions} namespace=${namespace} problems=${problems} role=${role} /></article>`;
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

/** The items whose runs are stuck. */
export const stuckItems = problems => new Set(problems.filter(each => INSTANCE_STATES[each.kind] === 'STUCK').flatMap(each => each.items));

/** The instances that are dead although items are still theirs. */
export function deadInstances(instances, problems) {
  const live = new Set(instances.map(each => each.instance.id));
  const named = problems.filter(each => INSTANCE_STATES[each.kind] === 'DEAD').flatMap(each => each.instances);
  return [...new Set(named)].filter(id => !live.has(id)).sort();
}

/** A kind of alarm or problem in words. */
export function Kind({kind, alarm}) {
  return html`<strong class="kind">${alarm && html`<span title=${t('text.firing')}><span aria-hidden="true">▲ </span><span class="hidden">${t('text.firing')}: </span></span>`}${t('kind.' + kind)}</strong>`;
}

/** The buttons and links of the remedies, each once. A button that is one of a choice has a line with the advice when to take it. */
function Actions({namespace, problems, role}) {
  const actions = new Map();
  const screens = new Map();
  for (const problem of problems) {
    for (const remedy of problem.remedies.filter(each => each.operation)) {
      const {operation, command} = remedy;
      if (!command) {
        const {text, path, query} = screen(operation, problem);
        const same = screens.get(text);
        screens.set(text, {text, path, query: same && JSON.stringify(same.query) !== JSON.stringify(query) ? {} : query});
      } else if (!isOneOfSeveral(remedy, problem.remedies)) {
        const action = actions.get(operation) ?? {draw: button(namespace, operation, command, role), advice: new Set()};
        for (const text of when(remedy, problem.remedies)) action.advice.add(text);
        actions.set(operation, action);
      }
    }
  }
  const alarms = [...new Set(problems.flatMap(each => each.alarms))];
  const all = [...actions.values()];
  return html`${all.filter(each => each.advice.size > 0).map(each => html`<p class="actions choice">${each.draw}${[...each.advice].map(text => html`<small>→ <${Words} text=${text} /></small>`)}</p>`)}
    <p class="actions">${all.filter(each => each.advice.size === 0).map(each => each.draw)} ${[...screens.values()].map(each => link(namespace, each))}
    ${alarms.length > 0 && problems[0].job && html`<${CommandButton} name="silence-alarms" namespace=${namespace} job=${problems[0].job}
      role=${role} values=${{kinds: alarms, until: '60'}} />`}</p>`;
}

function button(namespace, operation, {job, ...values}, role) {
  const isGiven = value => typeof value !== 'object' || Object.keys(value).length > 0;
  return html`<${CommandButton} name=${operation.toLowerCase().replaceAll('_', '-')} namespace=${namespace} job=${job} role=${role}
    values=${Object.fromEntries(Object.entries(values).filter(([, value]) => isGiven(value)))} />`;
}

/** The screen that shows a view of a problem. */
function screen(operation, {job, kind}) {
  const tab = TABS[kind];
  const [text, path, query] = {
    ITEMS: tab ? ['action.' + tab, ['jobs', job], {tab}] : ['action.items', ['jobs', job], ITEMS[kind] ? {items: ITEMS[kind]} : {}],
    JOB: ['action.settings', ['jobs', job], {tab: 'settings'}],
    BACKFILLS: ['action.settings', ['jobs', job], {tab: 'settings'}],
    ALARMS: ['nav.alarms', ['alarms'], {}],
    JOBS: ['nav.jobs', ['jobs'], {problems: 'true'}],
    INSTANCES: ['action.allInstances', ['instances'], {}],
  }[operation];
  return {text, path, query};
}

/** A link to a screen; none to the tab that is open. */
function link(namespace, {text, path, query}) {
  const isHere = path.every((each, index) => route.value.path[index + 1] === each) && Object.entries(query).every(([name, value]) => route.value.query[name] === value);
  return isHere ? null : html`<${Link} class="button" to=${[namespace, ...path]} query=${query}>${t(text)}</${Link}>`;
}
