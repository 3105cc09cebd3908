// The live map: which instance has which item, what each item does, and why it is there.
import {html, useRef} from '../html.mjs';
import {at, get} from '../api.mjs';
import {CommandButton} from '../commands.mjs';
import {duration, instanceName, isoMillis, number} from '../format.mjs';
import {route, setQuery} from '../router.mjs';
import {Ago, At, Empty, Link, Loaded, Panel, ProblemBox, Since, State, symbol, tone, Words} from '../ui.mjs';
import {t} from '../texts.mjs';
import {AGAIN, useView} from '../view.mjs';
import {instanceState, stuckItems} from './overview.mjs';

const MOST = 1000;
const EXPLANATION_MILLIS = 10_000;
const FILTERS = ['RUNNING', 'STUCK', 'INTERRUPTED', 'QUARANTINED', 'FAILED', 'DISABLED', 'UNREADABLE'];

/** The state that a cell shows: what holds the item now, else how its last run ended. */
export function look(item) {
  if (item.state !== 'IDLE') return item.stuck ? 'STUCK' : item.state;
  if (item.disabled) return 'DISABLED';
  return item.run?.outcome ?? 'IDLE';
}

/** Whether instances died while they ran an item, so that it may end the next one, too. */
const isDeadly = item => item.state === 'QUARANTINED' && item.run?.outcome === 'CRASHED';

/** Whether an item is disabled, although its cell shows another state, such as its last fire that still runs. */
const isOff = item => item.disabled && look(item) !== 'DISABLED';

export function ItemMap({namespace, job, role, value}) {
  const key = namespace + '/' + job;
  const items = useView(key, () => get(at(namespace, 'jobs', job, 'items'), {limit: MOST}), (current, name, data) => change(current, name, data, job));
  const instances = useView(key, () => get(at(namespace, 'instances')), (current, name, data) => changeInstances(current, name, data));
  return html`<${Loaded} view=${items}>${page => html`<${Map} namespace=${namespace} job=${job} role=${role} page=${page} summary=${value.summary}
    instances=${instances.value.value?.instances ?? []} problems=${value.problems} />`}</${Loaded}>`;
}

function change(current, name, data, job) {
  if (name !== 'items' || data.job !== job) return undefined;
  if (data.many) return AGAIN;
  const changed = new globalThis.Map(data.items.map(each => [each.item, each]));
  const removed = new Set(data.removed ?? []);
  const known = new Set(current.items.map(each => each.item));
  if (removed.size > 0 || data.items.some(each => !known.has(each.item))) return AGAIN;
  return {...current, items: current.items.map(each => changed.get(each.item) ?? each)};
}

function changeInstances(current, name, data) {
  if (name === 'instance-removed') return {instances: current.instances.filter(each => each.instance.id !== data.instance)};
  if (name !== 'instance') return undefined;
  const others = current.instances.filter(each => each.instance.id !== data.instance.id);
  return {instances: [...others, data].sort((a, b) => a.instance.id.localeCompare(b.instance.id))};
}

/** One lane for each live instance that hosts the job, for each owner that is gone, and for items without an owner. */
function lanes(items, instances, job) {
  const all = new globalThis.Map();
  for (const each of instances) {
    if (each.jobs.includes(job)) all.set(each.instance.id, {id: each.instance.id, instance: each, items: []});
  }
  for (const item of items) {
    const id = item.owner ?? '';
    if (!all.has(id)) all.set(id, {id, items: []});
    all.get(id).items.push(item);
  }
  return [...all.values()].sort((a, b) => (a.id === '') - (b.id === '') || a.id.localeCompare(b.id));
}

function Map({namespace, job, role, page, summary, instances, problems}) {
  const stuck = stuckItems(problems);
  const items = page.items.map(each => each.state === 'RUNNING' && stuck.has(each.item) ? {...each, stuck: true} : each);
  const {items: filter = '', item: open} = route.value.query;
  const matches = item => filter === '' || filter === look(item) || filter === 'DISABLED' && item.disabled || filter === item.state
      || filter === 'FAILED' && ['FAILED', 'TIMED_OUT', 'CRASHED'].includes(look(item));
  const counts = {};
  for (const item of items) counts[look(item)] = (counts[look(item)] ?? 0) + 1;
  const shown = items.filter(matches);
  const grid = useRef(null);
  const selected = items.find(each => each.item === open) ?? (filter !== '' && shown.length === 1 ? shown[0] : undefined);
  if (page.total === 0) return html`<${Empty}>${t('text.noItems')}</${Empty}>`;
  return html`<div class="bar"><span class="legend">${Object.entries(counts).sort().map(([state, count]) => html`<${State} state=${state} text=${t('state.' + state) + ' ' + number(count)} /> `)}</span>
      <label>${t('field.show')} <select value=${filter} onChange=${event => setQuery({items: event.target.value})}>
        <option value="">${t('text.all')}</option>${FILTERS.map(each => html`<option value=${each}>${t('state.' + each)}</option>`)}</select></label></div>
    ${page.total > page.items.length && html`<p class="hint">${t('text.firstItems', {count: page.items.length, total: page.total})}</p>`}
    ${filter !== '' && shown.length === 0 && html`<${Empty}>${t('text.noItemsLike')}</${Empty}>`}
    <div class=${selected ? 'split' : ''}><div class="map" ref=${grid} onKeyDown=${event => move(event, grid.current)}>
      ${lanes(shown, instances, job).filter(lane => filter === '' || lane.items.length > 0).map(lane => html`<${Lane} key=${lane.id} namespace=${namespace} lane=${lane} problems=${problems} large=${page.total <= 60} open=${open} />`)}</div>
    ${selected && html`<${Item} key=${selected.item} namespace=${namespace} job=${job} role=${role} item=${selected} instances=${instances} disabled=${summary.state === 'REMOVED'}
      close=${() => setQuery({item: '', items: open ? filter : ''})} />`}</div>`;
}

/** Arrow keys go from cell to cell. */
function move(event, grid) {
  const step = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: 10, ArrowUp: -10, Home: -Infinity, End: Infinity}[event.key];
  if (step === undefined || !event.target.classList.contains('cell')) return;
  const cells = [...grid.querySelectorAll('.cell')];
  const next = Math.min(cells.length - 1, Math.max(0, cells.indexOf(event.target) + step));
  cells[next].focus();
  event.preventDefault();
}

function Lane({namespace, lane, problems, large, open}) {
  const {instance} = lane;
  const gone = !instance && lane.id !== '';
  const {state} = instanceState(lane.id, instance, problems);
  const name = lane.id === '' ? t('text.noOwner') : instanceName(lane.id);
  return html`<section class=${'lane' + (gone ? ' gone' : '')} aria-label=${name} data-instance=${name}><header title=${lane.id}>
      <strong>${lane.id === '' ? name : html`<${Link} to=${[namespace, 'instances']} query=${{instance: lane.id}}>${name}</${Link}>`}</strong>
      <small>${gone ? html`<${State} state="DEAD" />` : instance && state !== 'WORKING' ? html`<${State} state=${state} />` : ''}
        ${' '}${t('text.items', {count: lane.items.length})}</small></header>
    <div class=${'cells' + (large ? ' large' : '')}>${lane.items.map((item, index) => html`<${Cell} key=${item.item} item=${item} large=${large}
      open=${item.item === open} first=${index === 0} />`)}</div></section>`;
}

function Cell({item, large, open, first}) {
  const state = look(item);
  const elsewhere = item.state === 'RUNNING' && item.run.runner !== item.owner;
  const label = `${item.item}: ${t('state.' + state)}` + (elsewhere
    ? ', ' + t('text.runsOn', {name: instanceName(item.run.runner)}) : '') + (isOff(item) ? ', ' + t('state.DISABLED') : '') + (item.failuresInARow > 1 ? ', ' + t('text.failures', {count: item.failuresInARow}) : '');
  const {done, total} = item.state === 'RUNNING' ? item.run?.progress ?? {} : {};
  return html`<button type="button" class=${'cell ' + tone(state) + (isOff(item) ? ' off' : '')} data-state=${state} data-item=${item.item} aria-label=${label} title=${label} aria-pressed=${open}
    tabindex=${open || first ? 0 : -1} onClick=${() => setQuery({item: open ? '' : item.item})}>
    ${large ? html`<span class="key">${item.item}</span><span aria-hidden="true">${symbol(state)}${isOff(item) && ' ' + symbol('DISABLED')}${elsewhere && ' ↗ ' + instanceName(item.run.runner)}</span>` : html`<span aria-hidden="true">${symbol(isOff(item) ? 'DISABLED' : state)}</span>`}
    ${total > 0 && html`<span class="progress"><span style=${{width: Math.min(100, 100 * done / total) + '%'}}></span></span>`}</button>`;
}

function Item({namespace, job, role, item, instances, disabled, close}) {
  const {run} = item;
  const {value: why, problem} = useView([item.item, item.owner, item.state, item.disabled, item.stuck].join(),
    () => get(at(namespace, 'jobs', job, 'items', item.item, 'explanation')), undefined, EXPLANATION_MILLIS).value; // a timeout that passes has no event
  const common = {namespace, job, role, small: true};
  const ended = run?.endedAt !== undefined;
  const ran = run && (ended ? Date.parse(run.endedAt) : NaN) - Date.parse(run?.startedAt);
  const title = t('title.item', {name: item.item});
  return html`<${Panel} title=${title} heading=${html`${title} <${State} state=${look(item)} />${isOff(item) && html` <${State} state="DISABLED" />`}`}
      close=${close} opener=${`.cell[data-item="${CSS.escape(item.item)}"]`}>
    ${item.problem && html`<${ProblemBox} problem=${{message: item.problem}} />`}
    ${run?.error && (problem || why && !why.explanation?.includes(run.error)) && html`<p class="notice bad mono"><${Words} text=${run.error} /></p>`}
    ${run && instances.find(each => each.instance.id === run.runner)?.clockAhead && html`<p class="notice hold">${t('text.wrongClock', {name: instanceName(run.runner)})}</p>`}
    <h3>${t('title.why')}</h3>
    ${problem ? html`<${ProblemBox} problem=${problem} />` : html`<p class="why"><${Words} text=${why?.explanation ?? '…'} /></p>`}
    ${!disabled && html`<p class="actions">
      ${item.state === 'RUNNING' && html`<${CommandButton} name="stop-fire" ...${common} values=${{runId: run.runId, item: item.item}} />`}
      ${ended && item.state !== 'QUARANTINED' && ['FAILED', 'TIMED_OUT', 'CRASHED', 'CANCELLED', 'INTERRUPTED'].includes(run.outcome)
        && html`<${CommandButton} name="rerun-items" ...${common} values=${{runId: run.runId, items: [item.item]}} label=${t('action.runAgain')} />`}
      ${item.disabled ? html`<${CommandButton} name="enable-item" ...${common} values=${{item: item.item}} />`
        : html`<${CommandButton} name="disable-item" ...${common} values=${{item: item.item}} primary=${isDeadly(item)} />`}
      ${item.state === 'QUARANTINED' && html`<${CommandButton} name="release-item" ...${common} values=${{item: item.item}} version=${item.version} />`}
      <${CommandButton} name="trigger" ...${common} values=${{items: [item.item]}} />
      ${item.decidedUpTo && html`<details class="menu"><summary>${t('action.more')}</summary><div>
        <${CommandButton} name="set-back-cursor" ...${common} values=${{item: item.item}} version=${item.version} /></div></details>`}</p>`}
    <dl class="rows">
      <div><dt>${t('field.owner')}</dt><dd>${item.owner ? instanceName(item.owner) : t('text.noOwner')}</dd></div>
      ${run && html`<div><dt>${t(ended ? 'field.lastRun' : 'field.run')}</dt><dd><${Link} to=${[namespace, 'jobs', job, 'runs', run.runId]}
          query=${{fireTime: run.fire}}><${At} at=${run.fire} /></${Link}>${run.triggered && ' ' + t('text.triggered')}</dd></div>
        <div><dt>${t(ended ? 'field.ranOn' : 'field.runner')}</dt><dd>${instanceName(run.runner)}</dd></div>
        <div><dt>${t('field.attempt')}</dt><dd>${run.attempt}</dd></div>
        <div><dt>${t('field.started')}</dt><dd><${At} at=${run.startedAt} /></dd></div>
        <div><dt>${t(ended ? 'field.ran' : 'field.runsFor')}</dt><dd>${ended ? duration(ran) : html`<${Since} at=${run.startedAt} />`}
          ${item.expectedRunTime && html` <small>${t('text.expected', {time: duration(isoMillis(item.expectedRunTime))})}</small>`}</dd></div>
        ${run.progress && html`<div><dt>${t('field.progress')}</dt><dd>${number(run.progress.done)}${run.progress.total > 0 && ' / ' + number(run.progress.total)} ${run.progress.message}</dd></div>`}
`}
      ${item.failuresInARow > 0 && html`<div><dt>${t('field.failuresInARow')}</dt><dd>${item.failuresInARow}</dd></div>`}
      ${item.decidedUpTo && html`<div><dt>${t('field.decidedUpTo')}</dt><dd><${At} at=${item.decidedUpTo} /></dd></div>`}
      ${item.skipped.map(each => html`<div><dt>${t('field.skipped')}</dt><dd>${number(each.count)} · ${t('skip.' + each.reason)} · <${Ago} at=${each.to} /></dd></div>`)}
    </dl></${Panel}>`;
}
