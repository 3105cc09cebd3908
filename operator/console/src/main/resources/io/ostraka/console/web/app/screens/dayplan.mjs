// The jobs over a day: how many fires each quarter of an hour has, which times are excluded, and where clocks change.
import {html, useMemo, useState} from '../html.mjs';
import {at, clockOffset, get} from '../api.mjs';
import {number, time, utc} from '../format.mjs';
import {useFollow} from '../live.mjs';
import {route, setQuery} from '../router.mjs';
import {Changed, Empty, freeze, Link, Loaded, State, zoneText} from '../ui.mjs';
import {t} from '../texts.mjs';
import {AGAIN, useView} from '../view.mjs';

const SLOT_MINUTES = 15;
const SLOTS = 96;
const DAY = 86_400_000;
const PAGE = 50;
const MOST_NAMED = 50;

export function DayPlan({namespace}) {
  const {day = '', search = ''} = route.value.query;
  useFollow(namespace);
  const from = day === '' ? quarter(Date.now() + clockOffset.peek()) : startOf(day, utc.value);
  const view = useView(namespace + from, () => read(namespace, from), (value, name) => name === 'job-removed' ? AGAIN : undefined);
  return html`<section><div class="title"><h1>${t('nav.plan')}</h1></div>
    <form class="filters" onSubmit=${event => event.preventDefault()}>
      <button type="button" onClick=${() => setQuery({day: ''})} disabled=${day === ''}>${t('action.fromNow')}</button>
      <button type="button" onClick=${() => setQuery({day: dayText(startOf(dayText(from), utc.value) - DAY / 2)})}>‹ ${t('action.dayBefore')}</button>
      <label>${t('field.day')} <input type="date" value=${dayText(from)} onChange=${event => setQuery({day: event.target.value})} /></label>
      <button type="button" onClick=${() => setQuery({day: dayText(startOf(dayText(from), utc.value) + 1.5 * DAY)})}>${t('action.dayAfter')} ›</button>
      <label class="search">${t('field.search')} <input type="search" value=${search} onInput=${event => setQuery({search: event.target.value, page: ''})} /></label>
      <span class="hint">${zoneText()}</span></form>
    <${Loaded} view=${view}>${value => html`<${Plan} namespace=${namespace} value=${value} search=${search} />`}</${Loaded}></section>`;
}

const quarter = millis => Math.floor(millis / (SLOT_MINUTES * 60_000)) * SLOT_MINUTES * 60_000;

/** The first instant of a day in the shown time zone; the present one if the address has no date. */
function startOf(day, isUtc) {
  const start = Date.parse(day + 'T00:00:00' + (isUtc ? 'Z' : ''));
  return Number.isNaN(start) ? quarter(Date.now()) : start;
}

const dayText = millis => time(millis).slice(0, 10);

/** Excluded times come from the schedules of the jobs, which the list has. */
async function read(namespace, from) {
  const forecast = await get(at(namespace, 'forecast'), {from: new Date(from).toISOString(), slot: `PT${SLOT_MINUTES}M`, slots: SLOTS});
  const jobs = (await get(at(namespace, 'jobs'), {limit: 1000})).jobs;
  return {forecast, from, schedules: new Map(jobs.map(job => [job.job, job.schedule])),
    paused: jobs.filter(job => job.state === 'PAUSED').map(job => job.job)};
}

const clocks = new Map();

/** The parts of instants in a time zone. A format is slow to create, so there is one for each zone. */
function clock(zone, instant) {
  if (!clocks.has(zone)) {
    clocks.set(zone, new Intl.DateTimeFormat('en-US', {timeZone: zone, hourCycle: 'h23', weekday: 'long', year: 'numeric', month: '2-digit', day: '2-digit',
      hour: '2-digit', minute: '2-digit'}));
  }
  return Object.fromEntries(clocks.get(zone).formatToParts(instant).map(part => [part.type, part.value]));
}

/** Whether a daily window or a weekday of the exclusions covers an instant, in the time zone of the job. */
export function excluded(schedule, instant) {
  const rules = schedule?.excluded;
  if (!rules) return false;
  const parts = clock(rules.zone, instant);
  const minute = `${parts.hour}:${parts.minute}`;
  const date = `${parts.year}-${parts.month}-${parts.day}`;
  return (rules.weekdays ?? []).includes(parts.weekday.toUpperCase()) || (rules.dates ?? []).includes(date)
    || (rules.yearly ?? []).some(each => each.endsWith(date.slice(5))) || (rules.monthly ?? []).includes(Number(parts.day))
    || (rules.windows ?? []).some(({from, to}) => from < to ? from <= minute && minute < to : minute >= from || minute < to);
}

function Plan({namespace, value, search}) {
  const {forecast, from, schedules, paused} = value;
  const {page = '0', table = ''} = route.value.query;
  const {slots} = forecast;
  const wanted = name => name.toLowerCase().includes(search.toLowerCase());
  const {jobs, totals} = useMemo(() => summed(slots, wanted), [slots, search]);
  const without = [...schedules.keys()].filter(job => wanted(job) && !jobs.includes(job) && !paused.includes(job) && !forecast.unpredictable.includes(job));
  const first = Math.min(Math.max(0, Number(page) || 0), Math.floor(Math.max(0, jobs.length - 1) / PAGE)) * PAGE;
  const rows = useMemo(() => jobs.slice(first, first + PAGE).map(job => {
    const counts = slots.map(slot => slot.fires[job] ?? 0);
    return {job, counts, out: counts.map((count, index) => count === 0 && excluded(schedules.get(job), Date.parse(slots[index].start)))};
  }), [jobs, first, schedules]);
  const label = index => time(slots[index].start, {seconds: false}).slice(11);
  const changes = slots.flatMap((slot, index) => slot.clockChanges.map(name => ({index, name})));
  const frozen = slots.map(slot => freeze.value !== null && !(Date.parse(freeze.value.until) <= Date.parse(slot.start)));
  const Drawn = table === '' ? Bars : Hours;
  return html`${freeze.value && html`<div class="notice hold"><${State} state="FROZEN" text=${t('overview.frozen')} /><${Changed} change=${freeze.value} /></div>`}
    ${changes.map(each => html`<p class="notice hold">${t('text.clockChange', {zone: each.name, time: label(each.index)})}</p>`)}
    <div class="bar">${jobs.length > 0 && html`<span>${t('text.rows', {first: number(first + 1), last: number(first + rows.length), total: number(jobs.length)})}</span>`}
      <nav class="pages" aria-label=${t('title.pages')}>
        ${first > 0 && html`<button type="button" onClick=${() => setQuery({page: first / PAGE - 1})}>${t('action.back')}</button>`}
        ${first + PAGE < jobs.length && html`<button type="button" onClick=${() => setQuery({page: first / PAGE + 1})}>${t('action.next')}</button>`}</nav>
      <label class="check"><input type="checkbox" name="table" checked=${table !== ''} onChange=${event => setQuery({table: event.target.checked ? 'true' : ''})} /> ${t('field.table')}</label></div>
    <${Drawn} namespace=${namespace} rows=${rows} totals=${totals} frozen=${frozen} label=${label} from=${from} />
    ${jobs.length === 0 && html`<${Empty}>${t('text.noFires')}</${Empty}>`}
    <${Others} namespace=${namespace} text=${t('text.unpredictable')} jobs=${forecast.unpredictable.filter(wanted)} />
    <${Others} namespace=${namespace} text=${t('text.pausedJobs')} jobs=${paused.filter(wanted)} />
    <${Others} namespace=${namespace} text=${t('text.withoutFires')} jobs=${without} />
    ${table === '' && html`<${Legend} rows=${rows} frozen=${frozen} />`}`;
}

/** The jobs with fires, and the number of their fires in each slot. */
function summed(slots, wanted) {
  const jobs = new Set();
  const totals = slots.map(slot => {
    let sum = 0;
    for (const [job, count] of Object.entries(slot.fires)) {
      if (wanted(job)) {
        jobs.add(job);
        sum += count;
      }
    }
    return sum;
  });
  return {jobs: [...jobs].sort(), totals};
}

const plus = (a, b) => a + b;

/** One row for each job, whose bars are one path, so that a page of rows has few nodes. */
function Bars({namespace, rows, totals, frozen, label, from}) {
  const present = (Date.now() + clockOffset.peek() - from) / (SLOT_MINUTES * 60_000 * SLOTS);
  const hours = [0, 3, 6, 9, 12, 15, 18, 21];
  return html`<div class="frame" tabindex="0" role="region" aria-label=${t('nav.plan')}><div class="plan">
    <div class="axis" aria-hidden="true"><span></span><div>${hours.map(hour => html`<span style=${{left: 100 * hour / 24 + '%'}}>${label(hour * 4)}</span>`)}</div></div>
    <div class="row density"><span class="key">${t('text.allJobs')}</span><div class="slots">
      ${present > 0 && present < 1 && html`<span class="present" style=${{left: present * 100 + '%'}}></span>`}
      <${Slots} counts=${totals} frozen=${frozen} label=${label} least=${0} /></div><span class="sum">${number(totals.reduce(plus, 0))}</span></div>
    ${rows.map(({job, counts, out}) => html`<div class="row" key=${job}><span class="key"><${Link} to=${[namespace, 'jobs', job]}>${job}</${Link}></span>
      <div class="slots"><${Slots} counts=${counts} out=${out} frozen=${frozen} label=${label} least=${30} /></div><span class="sum">${number(counts.reduce(plus, 0))}</span></div>`)}</div></div>`;
}

/** The slots of one row: a bar for fires, pale during a freeze; shaded if the schedule excludes the time. The words of a slot are the title under the pointer. */
function Slots({counts, out = [], frozen, label, least}) {
  const most = Math.max(1, ...counts);
  const bars = isPale => counts.map((count, index) =>
    count === 0 || frozen[index] !== isPale ? '' : `M${index} 100h.9v${-least - (100 - least) * count / most}h-.9z`).join('');
  const pale = bars(true);
  const shaded = out.map((each, index) => each ? `M${index} 0h1v100h-1z` : '').join('');
  const told = event => {
    const {left, width} = event.currentTarget.getBoundingClientRect();
    const index = Math.min(SLOTS - 1, Math.max(0, Math.floor(SLOTS * (event.clientX - left) / width)));
    event.currentTarget.parentElement.title = `${label(index)} · ${out[index] ? t('text.excluded') : t('text.fires', {count: number(counts[index])}) + (frozen[index] && counts[index] > 0 ? ' · ' + t('state.FROZEN') : '')}`;
  };
  return html`<svg viewBox=${`0 0 ${SLOTS} 100`} preserveAspectRatio="none" aria-hidden="true" onMouseMove=${told}>
    ${shaded && html`<path class="out" d=${shaded} />`}${pale && html`<path class="frozen" d=${pale} />`}<path d=${bars(false)} /></svg>`;
}

/** The same facts as a table, an hour in each column. */
function Hours({namespace, rows, totals, frozen, label}) {
  const hours = Array.from({length: SLOTS / 4}, (each, hour) => hour);
  const sum = (counts, hour) => counts.slice(4 * hour, 4 * hour + 4).reduce(plus, 0);
  const cell = (counts, out, hour) => sum(counts, hour) > 0 ? number(sum(counts, hour)) : out?.slice(4 * hour, 4 * hour + 4).every(Boolean) ? t('text.out') : '';
  const Row = ({name, counts, out}) => html`<tr><th scope="row">${name}</th><td>${number(counts.reduce(plus, 0))}</td>
    ${hours.map(hour => html`<td>${cell(counts, out, hour)}</td>`)}</tr>`;
  return html`<div class="frame" tabindex="0" role="region" aria-label=${t('nav.plan')}><table class="hours">
    <thead><tr><th scope="col">${t('field.job')}</th><th scope="col">${t('field.fires')}</th>${hours.map(hour => html`<th scope="col">${label(hour * 4)}${frozen[hour * 4] && html`<br /><small>${t('state.FROZEN')}</small>`}</th>`)}</tr></thead>
    <tbody><${Row} name=${t('text.allJobs')} counts=${totals} />
      ${rows.map(({job, counts, out}) => html`<${Row} key=${job} name=${html`<${Link} to=${[namespace, 'jobs', job]}>${job}</${Link}>`} counts=${counts} out=${out} />`)}</tbody></table></div>`;
}

/** What the colours mean that the plan has now. */
function Legend({rows, frozen}) {
  const shown = [['', 'text.plan', true], ['out', 'text.excluded', rows.some(({out}) => out.some(Boolean))], ['frozen', 'text.frozenFires', frozen.some(Boolean)]];
  return html`<p class="hint">${shown.filter(([, , isShown]) => isShown).map(([name, text]) => html`<span class=${'swatch ' + name} aria-hidden="true"></span> ${t(text)} ${' '}`)}</p>`;
}

/** Jobs that have no row in the plan, and why. */
function Others({namespace, text, jobs}) {
  const [all, setAll] = useState(false);
  const shown = [...jobs].sort().slice(0, all ? jobs.length : MOST_NAMED);
  return jobs.length === 0 ? null : html`<p class="hint">${text} ${shown.map((job, index) => html`${index > 0 && ', '}<${Link} to=${[namespace, 'jobs', job]}>${job}</${Link}>`)}
    ${jobs.length > shown.length && html` <button type="button" class="plain" onClick=${() => setAll(true)}>${t('text.more', {count: number(jobs.length - shown.length)})}</button>`}</p>`;
}
