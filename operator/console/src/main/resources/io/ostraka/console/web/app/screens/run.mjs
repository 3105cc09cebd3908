// One run: when each of its items ran, on which instance, under which token, and which item took much longer than the others.
import {html, useMemo, useState} from '../html.mjs';
import {at, get, session} from '../api.mjs';
import {CommandButton} from '../commands.mjs';
import {coarse, duration, instanceName, isoMillis, now, number} from '../format.mjs';
import {useFollow} from '../live.mjs';
import {route, setQuery} from '../router.mjs';
import {At, Copied, Empty, Link, Loaded, ProblemBox, State, symbol, Table, tone, Words} from '../ui.mjs';
import {t} from '../texts.mjs';
import {AGAIN, useView} from '../view.mjs';
import {unsaid} from './audit.mjs';
import {hasAllItems, Outcomes} from './runs.mjs';

const MOST = 1000;
/** Items that are drawn at once; more on demand. */
const DRAWN = 100;
/** An item is a straggler if it ran much longer than it usually does, or than most items of the run, and a second longer at least. */
const TIMES_EXPECTED = 2;
const TIMES_MEDIAN = 3;

export function Run({namespace, job, runId, role}) {
  const {fireTime} = route.value.query;
  useFollow(namespace, {items: [job]});
  const run = useView([namespace, job, runId, fireTime].join(' '), () => read(namespace, job, runId, fireTime),
    (value, name, data) => name === 'items' && data.job === job || name === 'activity' && data.job === job ? AGAIN : undefined);
  return html`<article class="run"><header class="title"><div>
      <p class="crumbs"><${Link} to=${[namespace, 'jobs']}>${t('nav.jobs')}</${Link}> / <${Link} to=${[namespace, 'jobs', job]}>${job}</${Link}> /${' '}
        <${Link} to=${[namespace, 'jobs', job]} query=${{tab: 'runs'}}>${t('tab.runs')}</${Link}> /</p>
      <h1>${t('title.run')} ${fireTime ? html`<${At} at=${fireTime} short=${false} />` : ''}</h1><p><${Copied} text=${runId} /></p></div></header>
    <${Loaded} view=${run}>${value => html`<${Content} namespace=${namespace} job=${job} runId=${runId} role=${role} value=${value} />`}</${Loaded}></article>`;
}

/** The ended claims are in the history, the running ones in ZooKeeper. */
async function read(namespace, job, runId, fireTime) {
  const items = await get(at(namespace, 'jobs', job, 'items'), {limit: MOST});
  const history = await get(at(namespace, 'history', 'jobs', job, 'runs', runId), {limit: MOST, fireTime}).catch(problem => ({claims: [], problem}));
  const details = await get(at(namespace, 'jobs', job));
  return {claims: history.claims, more: history.next !== undefined, problem: history.problem, items: items.items, whole: hasAllItems(details), disabled: details.changes.disabledItems};
}

/** One bar for each claim; a running item has a bar that ends now. */
function bars(value, runId, present) {
  const all = value.claims.map(each => ({
    item: each.item, instance: each.instance, token: each.fencingToken, attempt: each.attempt, attempts: each.attempts, fire: each.fireTime, number: each.runNumber, outcome: each.outcome,
    error: each.error ?? unsaid(each.outcome), from: Date.parse(each.startedAt ?? each.claimedAt), to: Date.parse(each.endedAt), fenced: each.fenced,
  }));
  const told = new Set(value.claims.map(each => each.item + ' ' + each.runNumber));
  for (const item of value.items) {
    const {run} = item;
    if (run?.runId !== runId) continue;
    if (item.state === 'RUNNING') {
      all.push({item: item.item, instance: run.runner, attempt: run.attempt, fire: run.fire, number: run.number, outcome: 'RUNNING', from: Date.parse(run.startedAt), to: Math.max(present, Date.parse(run.startedAt))});
    } else if (run.endedAt && !told.has(item.item + ' ' + run.number)) {
      all.push({item: item.item, instance: run.runner, attempt: run.attempt, fire: run.fire, number: run.number, outcome: run.outcome, error: run.error ?? unsaid(run.outcome),
        from: Date.parse(run.startedAt), to: Date.parse(run.endedAt)});
    }
  }
  return all.filter(each => !Number.isNaN(each.from) && !Number.isNaN(each.to));
}

const byKey = (a, b) => a.localeCompare(b, undefined, {numeric: true});

function Content({namespace, job, runId, role, value}) {
  const {item: filter = ''} = route.value.query;
  const [most, setMost] = useState(DRAWN);
  const present = value.items.some(each => each.state === 'RUNNING' && each.run?.runId === runId) ? now.value : 0;
  const all = useMemo(() => bars(value, runId, present), [value, present]);
  if (all.length === 0) {
    return html`${value.problem && value.problem.status !== 404 && html`<${ProblemBox} problem=${value.problem} />`}<${Empty}>${t('text.noClaims')}</${Empty}>`;
  }
  const start = Math.min(...all.map(each => each.from));
  const end = Math.max(start + 1, ...all.map(each => each.to));
  const expected = new Map(value.items.filter(each => each.expectedRunTime).map(each => [each.item, isoMillis(each.expectedRunTime)]));
  const lengths = all.filter(each => each.outcome === 'SUCCEEDED').map(each => each.to - each.from).sort((a, b) => a - b);
  const median = lengths[Math.floor(lengths.length / 2)];
  const straggles = bar => {
    const ran = bar.to - bar.from;
    const longer = (usual, times) => usual !== undefined && ran > times * usual && ran > usual + 1000;
    return longer(expected.get(bar.item), TIMES_EXPECTED) || longer(median, TIMES_MEDIAN);
  };
  const items = [...new Set(all.map(each => each.item))].sort(byKey);
  const outcomes = {};
  for (const each of items) {
    const {outcome} = all.filter(bar => bar.item === each).reduce((a, b) => b.number > a.number ? b : a);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  const [claim] = value.claims;
  const sum = {runId, fireTime: claim?.fireTime, triggered: claim?.triggered ?? true, shardingTotalCount: claim?.shardingTotalCount ?? 0, outcomes, claims: all.length};
  const shown = items.filter(each => filter === '' || each === filter || filter === 'slow' && all.some(bar => bar.item === each && straggles(bar))
    || filter === 'bad' && all.some(bar => bar.item === each && tone(bar.outcome) === 'bad'));
  const drawn = shown.slice(0, most);
  const failed = ['FAILED', 'TIMED_OUT', 'CRASHED', 'LOST'].some(each => outcomes[each]);
  const common = {namespace, job, role, values: {runId}, small: true};
  return html`<${ProblemBox} problem=${value.problem?.status === 404 ? null : value.problem} />
    <dl class="facts"><div><dt>${t('field.started')}</dt><dd><${At} at=${new Date(start).toISOString()} /></dd></div>
      <div><dt>${t('field.ran')}</dt><dd>${present ? coarse(end - start) : duration(end - start)}</dd></div>
      <div><dt>${t('field.items')}</dt><dd><${Outcomes} namespace=${namespace} job=${job} run=${sum} disabled=${value.disabled} items=${value.whole && !value.more ? value.items.filter(each => each.run?.runId !== runId || each.run.endedAt) : undefined} /></dd></div>
      <div><dt>${t('field.slow')}</dt><dd>${number(new Set(all.filter(straggles).map(each => each.item)).size)}</dd></div></dl>
    <div class="bar"><label>${t('field.show')} <select value=${filter} onChange=${event => setQuery({item: event.target.value})}>
        ${[['', 'text.all'], ['bad', 'text.failedItems'], ['slow', 'text.slowItems']].map(([name, text]) => html`<option value=${name}>${t(text)}</option>`)}
        ${items.includes(filter) && html`<option value=${filter}>${filter}</option>`}</select></label>
      ${present > 0 && html`<${CommandButton} name="stop-fire" ...${common} />`}
      ${failed && html`<${CommandButton} name="rerun-items" ...${common} />`}</div>
    ${value.more && html`<p class="hint">${t('text.firstClaims', {count: MOST})}</p>`}
    ${shown.length > drawn.length && html`<p class="hint">${t('text.firstItems', {count: number(drawn.length), total: number(shown.length)})}
      <button type="button" class="small" onClick=${() => setMost(most + DRAWN)}>${t('text.more', {count: number(Math.min(DRAWN, shown.length - most))})}</button></p>`}
    <${Gantt} items=${drawn} bars=${all} start=${start} end=${end} expected=${expected} median=${median} straggles=${straggles} />
    <${Claims} namespace=${namespace} job=${job} runId=${runId} bars=${all.filter(each => drawn.includes(each.item))} straggles=${straggles} />`;
}

function Gantt({items, bars: all, start, end, expected, median, straggles}) {
  const width = end - start;
  const percent = millis => 100 * millis / width;
  const place = bar => ({left: percent(bar.from - start) + '%', width: `max(3px, ${percent(bar.to - bar.from)}%)`});
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return html`<figure class="gantt" tabindex="0" aria-label=${t('title.gantt')}>
    <div class="axis" aria-hidden="true"><span></span><div>${ticks.map(each => html`<span style=${{left: each * 100 + '%'}}>${duration(each * width)}</span>`)}</div></div>
    ${items.map(item => {
      const own = all.filter(each => each.item === item).sort((a, b) => a.from - b.from);
      const usual = expected.get(item) ?? median;
      return html`<div class="row" key=${item}><span class="key" title=${item}>${item}</span><div class="track">
        ${usual !== undefined && own[0].from - start + usual <= width && html`<span class="expected" style=${{left: percent(own[0].from - start + usual) + '%'}}
          title=${t('text.expected', {time: duration(usual)})}></span>`}
        ${own.map((bar, index) => html`<span class=${'claim ' + tone(bar.outcome) + (straggles(bar) ? ' slow' : '')} style=${place(bar)}
          title=${`${item} · ${instanceName(bar.instance)} · ${t('state.' + bar.outcome)} · ${duration(bar.to - bar.from)}`}>
          <span>${index > 0 ? '↪ ' : ''}${symbol(bar.outcome)}<span class="name"> ${instanceName(bar.instance)}</span></span></span>`)}</div></div>`;
    })}
    <figcaption>${t('text.gantt')}</figcaption></figure>`;
}

/** The link to the user's own logs, from the template in the console's settings. */
function logLink(values) {
  const template = session.value?.console?.logs;
  if (!template) return null;
  const address = template.replace(/\{([a-zA-Z.]+)\}/g, (all, name) => encodeURIComponent(values[name] ?? ''));
  return /^https?:\/\//.test(address) ? address : null;
}

function Claims({namespace, job, runId, bars: all, straggles}) {
  const hasLogs = Boolean(session.value?.console?.logs);
  const heads = ['item', 'outcome', 'instance', 'started', 'ran', 'attempt', 'token', 'error', ...(hasLogs ? ['logs'] : [])];
  return html`<${Table} label=${t('title.claims')} heads=${heads.map(each => t('field.' + each))}>
    ${[...all].sort((a, b) => byKey(a.item, b.item) || a.from - b.from).map(bar => html`<tr key=${bar.item + bar.instance + bar.from}><td>${bar.item}</td>
      <td><${State} state=${bar.outcome} />${bar.fenced && html` <small>${t('text.fenced')}</small>`}${straggles(bar) && html` <small class="bad">${t('text.slow')}</small>`}</td>
      <td><${Link} to=${[namespace, 'instances']} query=${{instance: bar.instance}}>${instanceName(bar.instance)}</${Link}></td>
      <td><${At} at=${new Date(bar.from).toISOString()} /></td><td>${duration(bar.to - bar.from)}</td><td>${bar.attempt}${bar.attempts > 1 && ` (${bar.attempts})`}</td>
      <td class="mono">${bar.token || ''}</td><td class="mono error" title=${bar.error}><div><${Words} text=${bar.error ?? ''} /></div></td>
      ${hasLogs && html`<td><a href=${logLink({job, item: bar.item, fire: bar.fire, attempt: bar.attempt, runId, token: bar.token})} target="_blank"
        rel="noreferrer noopener">${t('field.logs')}</a></td>`}</tr>`)}</${Table}>`;
}
