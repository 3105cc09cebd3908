// Times, durations and numbers as text.
import {signal} from './html.mjs';
import {clockOffset} from './api.mjs';
import {language, t} from './texts.mjs';

/** The console's present time; changes once a second. */
export const now = signal(Date.now());
setInterval(() => { if (!document.hidden) now.value = Date.now() + clockOffset.peek(); }, 1000);

/** True to show times in UTC instead of the browser's time zone. */
export const utc = signal(stored('ostraka.utc') === 'true');

export function stored(name) {
  try {
    return localStorage.getItem(name);
  } catch (e) { // storage is switched off
    return null;
  }
}

export function store(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch (e) { // kept for this page only
  }
}

const two = number => String(number).padStart(2, '0');

/** A date and time, such as 2026-03-29 02:30:00; without the date if it is today and short is true. */
export function time(value, {short = false, seconds = true} = {}) {
  if (value === undefined || value === null) return '';
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return String(value);
  const u = utc.value;
  const day = d => u ? [d.getUTCFullYear(), d.getUTCMonth() + 1, d.getUTCDate()] : [d.getFullYear(), d.getMonth() + 1, d.getDate()];
  const [year, month, date] = day(at);
  const clock = u ? [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()] : [at.getHours(), at.getMinutes(), at.getSeconds()];
  const text = clock.slice(0, seconds ? 3 : 2).map(two).join(':');
  if (short && day(new Date(now.peek())).join() === [year, month, date].join()) return text;
  return `${year}-${two(month)}-${two(date)} ${text}`;
}

/** A date and time with its zone, for titles. */
export const zoned = value => `${time(value)} ${zone()}`;

/** An id of an instance, name@pid@session, inside a text. */
export const INSTANCE_ID = /([^\s@'",;:=()[\]{}]+@\d+@[\da-f]+)(?![\w@])/g;

/** The name of an instance from its id. */
export const instanceName = id => (id ?? '').split('@')[0];

/** A text of the server; its times, which are in UTC, become times as the pages show them, and ids of instances become names. */
export const words = text => String(text ?? '').replace(INSTANCE_ID, instanceName).replace(/\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z/g, each => time(each, {short: true}));

/** Like words, for sentences about facts: lengths such as PT1H30M also become lengths as the pages show them. */
export const sentence = text => words(text).replace(/\bP(?=\d|T\d)(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?(?!\w)/g, each => length(isoMillis(each)));

/** The instant of a date and time that was typed in the shown time zone. */
export const typedTime = text => new Date(utc.peek() ? text + 'Z' : text).toISOString();

/** The name of the time zone in which times are shown. */
export function zone() {
  return utc.value ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** A length in milliseconds, such as 350 ms, 4.2 s, 3 min or 2 h 5 min. */
export function duration(millis) {
  if (millis === undefined || millis === null || Number.isNaN(millis)) return '';
  if (millis < 1000) return `${Math.max(0, Math.round(millis))} ms`;
  if (millis < 10_000) return `${(millis / 1000).toFixed(1)} s`;
  if (millis < 60_000) return `${Math.round(millis / 1000)} s`;
  if (millis < 3_600_000) return `${Math.floor(millis / 60_000)} min${pad(Math.round(millis % 60_000 / 1000), 's', millis < 600_000)}`;
  if (millis < 86_400_000) return `${Math.floor(millis / 3_600_000)} h${pad(Math.floor(millis % 3_600_000 / 60_000), 'min', true)}`;
  return `${Math.floor(millis / 86_400_000)} d${pad(Math.floor(millis % 86_400_000 / 3_600_000), 'h', true)}`;
}

const pad = (number, unit, wanted) => wanted && number > 0 ? ` ${number} ${unit}` : '';

/** A time in words relative to the present, such as 5 s ago or in 3 min. */
export function relative(value) {
  const millis = Date.parse(value) - now.value;
  if (Math.abs(millis) < 1000) return t('time.now');
  const text = coarse(Math.abs(millis));
  return t(millis < 0 ? 'time.ago' : 'time.in', {time: text});
}

/** Like duration, with whole units only, so that a page changes rarely. */
export function coarse(millis) {
  if (millis < 60_000) return `${Math.round(millis / 1000)} s`;
  if (millis < 3_600_000) return `${Math.round(millis / 60_000)} min`;
  return duration(Math.round(millis / 60_000) * 60_000);
}

/** A configured length, such as 5 s: without the decimal that a measured one has. */
export const length = millis => millis < 10_000 && millis % 1000 === 0 ? `${millis / 1000} s` : duration(millis);

/** Milliseconds of an ISO 8601 duration such as PT1H30M or PT0.25S; NaN if the text is none. */
export function isoMillis(text) {
  const match = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(text ?? '');
  if (match === null) return NaN;
  const [days, hours, minutes, seconds] = match.slice(1).map(each => Number(each ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000;
}

export const number = value => new Intl.NumberFormat(language.value).format(value);

/** Whether each item fires by itself after the end of its own last run. */
export function firesAfterRuns(value) {
  return ['fixedDelay', 'adaptive', 'continuous'].includes(value?.type === 'bounded' ? value.base.type : value?.type);
}

/** When a job fires next whose fires depend on the ends of its runs. */
export function nextAfterRun(value) {
  if (value?.type === 'bounded') return nextAfterRun(value.base);
  return value?.type === 'fixedDelay' ? t('time.afterEnd', {time: coarse(isoMillis(value.delay))}) : t('time.dependsOnEnd');
}

/** A schedule in words, as far as its type is known. */
export function schedule(value) {
  switch (value?.type) {
    case undefined: return '';
    case 'cron': return value.zone === 'UTC' ? value.expression : `${value.expression} ${value.zone}`;
    case 'fixedRate': return t('schedule.rate', {time: length(isoMillis(value.period))});
    case 'fixedDelay': return t('schedule.delay', {time: length(isoMillis(value.delay))});
    case 'adaptive': return t('schedule.adaptive', {time: length(isoMillis(value.base))});
    case 'continuous': return t('schedule.continuous');
    case 'once': return t('schedule.once', {time: time(value.at)});
    case 'onDemand': return t('schedule.onDemand');
    case 'bounded': return schedule(value.base);
    default: return value.type;
  }
}
