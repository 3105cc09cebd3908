// All jobs over a day: how many fires each quarter of an hour has, which times are excluded, and where clocks change.
import {html} from '../html.mjs';
import {at, clockOffset, get} from '../api.mjs';
import {number, time, utc} from '../format.mjs';
import {useFollow} from '../live.mjs';
import {route, setQuery} from '../router.mjs';
import {Empty, freeze, Link, Loaded, State, zoneText} from '../ui.mjs';
import {t} from '../texts.mjs';
import {AGAIN, useView} from '../view.mjs';
import {Changed} from './overview.mjs';

const SLOT_MINUTES = 15;
const SLOTS = 96;
const DAY = 86_400_000;

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
      <label class="search">${t('field.search')} <input type="search" value=${search} onInput=${event => setQuery({search: event.target.value})} /></label>
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

/** Whether a daily window or a weekday of the exclusions covers an instant, in the time zone of the job. */
export function excluded(schedule, instant) {
  const rules = schedule?.excluded;
  if (!rules) return false;
  const parts = Object.fromEntries(new Intl.DateTimeFormat('en-US', {timeZone: rules.zone, hourCycle: 'h23', weekday: 'long', year: 'numeric', month: '2-digit',
    day: '2-digit', hour: '2-digit', minute: '2-digit'}).formatToParts(instant).map(part => [part.type, part.value]));
  const clock = `${parts.hour}:${parts.minute}`;
  const date = `${parts.year}-${parts.month}-${parts.day}`;
  return (rules.weekdays ?? []).includes(parts.weekday.toUpperCase()) || (rules.dates ?? []).includes(date)
    || (rules.yearly ?? []).some(each => each.endsWith(date.slice(5))) || (rules.monthly ?? []).includes(Number(parts.day))
    || (rules.windows ?? []).some(({from, to}) => from < to ? from <= clock && clock < to : clock >= from || clock < to);
}

function Plan({namespace, value, search}) {
  const {forecast, from, schedules, paused} = value;
  const {slots} = forecast;
  const wanted = name => name.toLowerCase().includes(search.toLowerCase());
  const totals = slots.map(slot => Object.entries(slot.fires).filter(([job]) => wanted(job)).reduce((sum, [, count]) => sum + count, 0));
  const most = Math.max(1, ...totals);
  const jobs = [...new Set(slots.flatMap(slot => Object.keys(slot.fires)))].filter(wanted).sort();
  const without = [...schedules.keys()].filter(job => wanted(job) && !jobs.includes(job) && !paused.includes(job) && !forecast.unpredictable.includes(job));
  const present = (Date.now() + clockOffset.peek() - from) / (SLOT_MINUTES * 60_000 * SLOTS);
  const hours = [0, 3, 6, 9, 12, 15, 18, 21];
  const label = index => time(slots[index].start, {seconds: false}).slice(11);
  const changes = slots.flatMap((slot, index) => slot.clockChanges.map(name => ({index, name})));
  const isFrozen = index => freeze.value !== null && !(Date.parse(freeze.value.until) <= Date.parse(slots[index].start));
  const words = (index, count) => `${label(index)} · ${t('text.fires', {count: number(count)})}` + (isFrozen(index) && count > 0 ? ' · ' + t('state.FROZEN') : '');
  return html`${freeze.value && html`<div class="notice hold"><${State} state="FROZEN" text=${t('overview.frozen')} /><${Changed} change=${freeze.value} /></div>`}
    ${changes.map(each => html`<p class="notice hold">${t('text.clockChange', {zone: each.name, time: label(each.index)})}</p>`)}
    <div class="frame" tabindex="0" role="region" aria-label=${t('nav.plan')}><div class="plan">
      <div class="axis" aria-hidden="true"><span></span><div>${hours.map(hour => html`<span style=${{left: 100 * hour / 24 + '%'}}>${label(hour * 4)}</span>`)}</div></div>
      <div class="row density"><span class="key">${t('text.allJobs')}</span><div class="slots">
        ${present > 0 && present < 1 && html`<span class="present" style=${{left: present * 100 + '%'}}></span>`}
        ${totals.map((count, index) => html`<span class=${'slot' + (isFrozen(index) ? ' frozen' : '')} title=${words(index, count)}>
          <span style=${{height: 100 * count / most + '%'}}></span></span>`)}</div><span class="sum">${number(totals.reduce((a, b) => a + b, 0))}</span></div>
      ${jobs.map(job => {
        const counts = slots.map(slot => slot.fires[job] ?? 0);
        const top = Math.max(1, ...counts);
        return html`<div class="row" key=${job}><span class="key"><${Link} to=${[namespace, 'jobs', job]}>${job}</${Link}></span>
          <div class="slots">${counts.map((count, index) => {
            const out = count === 0 && excluded(schedules.get(job), Date.parse(slots[index].start));
            return html`<span class=${'slot' + (out ? ' out' : isFrozen(index) ? ' frozen' : '')} title=${out ? `${label(index)} · ${t('text.excluded')}` : words(index, count)}>
              ${count > 0 && html`<span style=${{height: 30 + 70 * count / top + '%'}}></span>`}</span>`;
          })}</div><span class="sum">${number(counts.reduce((a, b) => a + b, 0))}</span></div>`;
      })}</div></div>
    ${jobs.length === 0 && html`<${Empty}>${t('text.noFires')}</${Empty}>`}
    <${Others} namespace=${namespace} text=${t('text.unpredictable')} jobs=${forecast.unpredictable.filter(wanted)} />
    <${Others} namespace=${namespace} text=${t('text.pausedJobs')} jobs=${paused.filter(wanted)} />
    <${Others} namespace=${namespace} text=${t('text.withoutFires')} jobs=${without} />
    <p class="hint">${t('text.plan')}</p>`;
}

/** Jobs that have no row in the plan, and why. */
function Others({namespace, text, jobs}) {
  return jobs.length === 0 ? null : html`<p class="hint">${text} ${[...jobs].sort().map((job, index) => html`${index > 0 && ', '}<${Link} to=${[namespace, 'jobs', job]}>${job}</${Link}>`)}</p>`;
}
