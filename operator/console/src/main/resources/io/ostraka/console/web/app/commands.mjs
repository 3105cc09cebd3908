// Every command of the operations, with what its dialog asks for. The server checks everything again.
import {html, useEffect, useState} from './html.mjs';
import {at, command, get, getWhole, newRequestId, session} from './api.mjs';
import {instanceName, typedTime, words} from './format.mjs';
import {Changed, closeDialog, Dialog, Field, isUnhosted, openDialog, ProblemBox, say, Words, zoneText} from './ui.mjs';
import {t} from './texts.mjs';
import {readAgain} from './view.mjs';

const until = {name: 'until', type: 'until'};
const item = {name: 'item', type: 'fixed', required: true};
const instance = {name: 'instance', type: 'fixed', required: true};
const runId = {name: 'runId', type: 'fixed', required: true};
const parameters = {name: 'parameters', type: 'map'};

/** Commands that add something; the others replace a value, and a change that the user has not seen makes them fail. */
const ADDING = new Set(['trigger', 'cancel-trigger', 'rerun-items', 'stop-fire', 'backfill', 'stop-backfill', 'resume-backfill', 'evict-instance',
  'release-item', 'set-back-cursor']);

/** Commands that make items run: their dialogs say so if no instance hosts the job. */
const RUNS_ITEMS = new Set(['trigger', 'rerun-items', 'backfill', 'resume-backfill']);

/** What a command ends or replaces, from the view of its job or namespace: [words, change] for each change of an operator. */
const REPLACED = {
  'pause': paused,
  'resume': paused,
  'set-override': overridden,
  'remove-override': overridden,
  'freeze': view => [[t('state.SUSPENDED'), view.frozen]],
  'thaw': view => [[t('state.SUSPENDED'), view.frozen]],
  'drain-instance': drained,
  'undrain-instance': drained,
};

function paused(view) {
  const field = view.fields?.find(each => each.field === 'paused');
  return field?.effective ? [[t('state.PAUSED'), field.change ?? {definition: true, reason: view.fields.find(each => each.field === 'pauseReason')?.effective}]] : [];
}

function overridden(view, {fields}) {
  const named = Array.isArray(fields) ? fields : fields?.field ? [fields.field] : [];
  return (view.fields ?? []).filter(each => each.overridden && each.field !== 'paused' && (named.length === 0 || named.includes(each.field)))
    .map(each => [`${t('field.override')} ${each.field}`, each.change]);
}

function drained(view, {instance: name}) {
  return [[t('overview.drained', {name}), view.drained?.[name]]];
}

const replaced = (name, view, values) => view === null || !REPLACED[name] ? [] : REPLACED[name](view, values).filter(([, change]) => change);

/** Whether another person has made a change, who may still need it. */
const isOfOthers = ([, change]) => !change.definition && change.by !== session.value?.name;

/** The changes that a command ends or replaces, with their authors and reasons. */
const Replaced = ({changes}) => changes.map(([name, change]) => html`<div class="notice hold" role="note"><strong>${name}</strong>
  ${change.definition ? html`<p>${t('text.byDefinition')}${change.reason && html`: <q>${words(change.reason)}</q>`}</p>` : html`<${Changed} change=${change} />`}</div>`);

/** Options: role, values that are asked for, confirm (true: by typing the name), strong (a red button), namespace (not of one job). */
const COMMANDS = {
  'pause': {role: 'OPERATOR', fields: [until]},
  'resume': {role: 'OPERATOR', fields: [{name: 'catchUp', type: 'choice', value: true}]},
  'skip-fires': {role: 'OPERATOR', fields: [{name: 'to', type: 'time', required: true}]},
  'set-override': {role: 'OPERATOR', fields: [{name: 'fields', type: 'override', required: true}, until]},
  'remove-override': {role: 'OPERATOR', fields: [{name: 'fields', type: 'fixed'}]},
  'disable-item': {role: 'OPERATOR', fields: [item]},
  'enable-item': {role: 'OPERATOR', fields: [item]},
  'disable-instance': {role: 'OPERATOR', fields: [{...instance, type: 'text'}]},
  'enable-instance': {role: 'OPERATOR', fields: [instance]},
  'silence-alarms': {role: 'OPERATOR', fields: [{name: 'kinds', type: 'fixed'}, until]},
  'unsilence-alarms': {role: 'OPERATOR', fields: []},
  'release-item': {role: 'OPERATOR', fields: [item], strong: true},
  'set-back-cursor': {role: 'OPERATOR', fields: [item]},
  'trigger': {role: 'OPERATOR', fields: [{name: 'items', type: 'items'}, parameters, {name: 'delay', type: 'duration'}]},
  'cancel-trigger': {role: 'OPERATOR', fields: [runId]},
  'rerun-items': {role: 'OPERATOR', fields: [runId, {name: 'items', type: 'items'}, parameters]},
  'stop-fire': {role: 'OPERATOR', fields: [runId, {...item, required: false}], strong: true},
  'backfill': {role: 'OPERATOR', fields: [{name: 'from', type: 'time', required: true}, {name: 'to', type: 'time', required: true},
    {name: 'parallel', type: 'number', value: 1}, {name: 'maxFailures', type: 'number', value: 1}, parameters]},
  'stop-backfill': {role: 'OPERATOR', fields: []},
  'resume-backfill': {role: 'OPERATOR', fields: []},
  'remove': {role: 'ADMIN', fields: [], strong: true, confirm: true},
  'purge': {role: 'ADMIN', fields: [], strong: true, confirm: true},
  'freeze': {role: 'ADMIN', fields: [until], namespace: true, strong: true, confirm: true},
  'thaw': {role: 'ADMIN', fields: [], namespace: true},
  'drain-instance': {role: 'OPERATOR', fields: [instance, until], namespace: true},
  'undrain-instance': {role: 'OPERATOR', fields: [instance], namespace: true},
  'evict-instance': {role: 'ADMIN', fields: [instance], namespace: true, strong: true, confirm: true},
  'apply': {role: 'ADMIN', fields: [{name: 'document', type: 'document', required: true}], namespace: true, strong: true, confirm: true},
};

const RANKS = ['VIEWER', 'OPERATOR', 'ADMIN'];

/** The caller's highest role for anything in a namespace, from its grants; a view of one job tells the exact role. */
function roughRole(namespace) {
  let best = -1;
  for (const grant of session.value?.grants ?? []) {
    const [role, scope = '*'] = grant.split(/\s+/);
    const pattern = scope.split('/')[0];
    const matches = new RegExp('^' + pattern.split('*').map(each => each.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*') + '$');
    if (matches.test(namespace)) best = Math.max(best, RANKS.indexOf(role));
  }
  return RANKS[best];
}

/**
 * A button that opens the dialog of a command. Without the role, the button stays in its place and says which role is missing.
 *
 * values: values that are already known. version: version that the user has seen; by default the present one of the job.
 * least: role that is needed for these values; by default the role of the command.
 */
export function CommandButton({name, namespace, job, jobs, values = {}, version, role, label, primary, small, done, least}) {
  const spec = COMMANDS[name];
  const needed = least ?? spec.role;
  const allowed = RANKS.indexOf(role ?? roughRole(namespace)) >= RANKS.indexOf(needed);
  return html`<button type="button" class=${[primary && 'primary', spec.strong && 'strong', small && 'small'].filter(Boolean).join(' ')}
    disabled=${!allowed} title=${allowed ? t('hint.' + name) : t('hint.role', {role: needed})}
    onClick=${() => openCommand({name, namespace, job, jobs, values, version, done})}>${label ?? t('command.' + name)}</button>`;
}

function openCommand(options) {
  openDialog(() => options.jobs
    ? html`<${BulkDialog} key=${options.name} ...${options} />`
    : html`<${CommandDialog} key=${options.name} ...${options} />`);
}

function path(name, namespace, job) {
  return COMMANDS[name].namespace ? at(namespace, name) : at(namespace, 'jobs', job, name);
}

/** The body of the request: the known values and those of the form, without empty ones. */
function body(name, values, reason, requestId) {
  const json = {};
  for (const field of COMMANDS[name].fields) {
    const value = toJson(field, values[field.name]);
    if (value !== undefined) json[field.name] = value;
  }
  if (reason.trim() !== '') json.reason = reason.trim();
  if (requestId) json.requestId = requestId;
  return json;
}

function toJson(field, value) {
  if (value === undefined || value === '' || value === null) return undefined;
  switch (field.type) {
    case 'time': return typedTime(value);
    case 'until': return untilTime(value);
    case 'number': return Number(value);
    case 'items': return Array.isArray(value) ? value : String(value).split(/[\s,]+/).filter(each => each !== '');
    case 'map': return typeof value === 'object' ? value : pairs(value);
    case 'override': return {[value.field]: value.json};
    default: return value;
  }
}

function untilTime(value) {
  return /^\d+$/.test(value) ? new Date(Date.now() + Number(value) * 60_000).toISOString() : new Date(value).toISOString();
}

function pairs(text) {
  const map = {};
  for (const line of text.split('\n').map(each => each.trim()).filter(each => each !== '')) {
    const equals = line.indexOf('=');
    if (equals < 1) throw new Error(t('problem.pair', {line}));
    map[line.slice(0, equals).trim()] = line.slice(equals + 1).trim();
  }
  return map;
}

const missing = (name, values) => COMMANDS[name].fields.some(field => field.required && [undefined, '', null].includes(values[field.name]));

function initial(name, values) {
  const all = {...values};
  for (const field of COMMANDS[name].fields) if (all[field.name] === undefined) all[field.name] = field.value ?? '';
  return all;
}

function CommandDialog({name, namespace, job, values: given, version: seen, done}) {
  const spec = COMMANDS[name];
  const target = job ?? (given.instance ? instanceName(given.instance) : namespace);
  const [values, setValues] = useState(initial(name, given));
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const [version, setVersion] = useState(seen);
  const [preview, setPreview] = useState(null);
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const [requestId, setRequestId] = useState(newRequestId);
  const [view, setView] = useState(null);
  const [isDeadly, setDeadly] = useState(name === 'release-item' ? undefined : false);
  const set = (field, value) => { setValues({...values, [field]: value}); setRequestId(newRequestId()); };

  // Without a version that the page has shown, the one of this moment counts: a later change by another person is then refused.
  useEffect(() => {
    const wantsVersion = seen === undefined && !ADDING.has(name);
    if (!wantsVersion && !RUNS_ITEMS.has(name) && !REPLACED[name]) return;
    getWhole(spec.namespace ? at(namespace) : at(namespace, 'jobs', job)).then(answer => {
      setView(answer.json);
      if (wantsVersion) setVersion(answer.version);
    }, () => {});
  }, []);

  // An item during whose runs instances died may end further ones.
  useEffect(() => {
    if (name !== 'release-item') return;
    get(at(namespace, 'jobs', job, 'items'), {item: given.item}).then(({items}) => setDeadly(items.some(each => each.item === given.item && each.run?.outcome === 'CRASHED')), () => setDeadly(true));
  }, []);

  // The name of an instance may be typed if no other instance has it.
  const [expected, setExpected] = useState(name === 'evict-instance' ? undefined : target);
  useEffect(() => {
    if (expected !== undefined) return;
    get(at(namespace, 'instances')).then(({instances}) => setExpected(instances.filter(each => instanceName(each.instance.id) === target).length > 1 ? given.instance : target),
      () => setExpected(given.instance));
  }, []);

  // The preview follows the form, a moment after the last change.
  const form = JSON.stringify(values);
  useEffect(() => {
    if (missing(name, values)) {
      setPreview(null);
      return undefined;
    }
    let stale = false;
    const timer = setTimeout(async () => {
      try {
        const answer = await command(path(name, namespace, job), body(name, values, '', null), {dryRun: true});
        if (!stale) setPreview(answer);
      } catch (e) {
        if (!stale) setPreview({refused: e});
      }
    }, 300);
    return () => { stale = true; clearTimeout(timer); };
  }, [form]);

  const send = async event => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const answer = await command(path(name, namespace, job), body(name, values, reason, requestId), {version});
      say(answer.text || t('said.done', {command: t('command.' + name), target}));
      closeDialog();
      readAgain();
      done?.(answer);
    } catch (e) {
      setProblem(e);
      if (e.code === 'CONFLICT') setVersion(undefined);
    } finally {
      setBusy(false);
    }
  };
  const conflict = problem?.code === 'CONFLICT';
  const changes = replaced(name, view, values);
  const confirm = spec.confirm || isDeadly || changes.some(isOfOthers);
  const blocked = missing(name, values) || isDeadly === undefined || confirm && typed !== expected;
  return html`<${Dialog} title=${t('command.' + name) + ': ' + target} close=${closeDialog}>
    <form onSubmit=${send} autocomplete="off">
      <p class="hint">${t('hint.' + name)}</p>
      <${Replaced} changes=${changes} />
      ${RUNS_ITEMS.has(name) && view && isUnhosted(view.summary) && html`<p class="notice hold" role="note">${t('text.unhosted')}</p>`}
      ${spec.fields.map(field => html`<${Input} field=${field} value=${values[field.name]} set=${value => set(field.name, value)} />`)}
      <${Field} label=${t('field.reasonOptional')} hint=${t('hint.reason')}>
        <input name="reason" maxlength="500" value=${reason} onInput=${event => setReason(event.target.value)} /></${Field}>
      <${Preview} answer=${preview} />
      ${confirm && expected !== undefined && html`<${Field} label=${t('field.confirm', {name: expected})}>
        <input name="confirm" value=${typed} onInput=${event => setTyped(event.target.value)} /></${Field}>`}
      <${Outcome} problem=${problem} />
      <footer>
        <button type="button" onClick=${closeDialog}>${t('action.cancel')}</button>
        <button type="submit" class=${spec.strong ? 'strong' : 'primary'} disabled=${busy || blocked}>
          ${t(conflict ? 'action.anyway' : problem?.code === 'OUTCOME_UNKNOWN' ? 'action.repeat' : 'command.' + name)}</button>
      </footer>
    </form></${Dialog}>`;
}

const MOST_EFFECTS = 12;
const Effects = ({effects}) => html`<ul>${effects.map(each => html`<li><${Words} text=${each} /></li>`)}</ul>`;

function Preview({answer}) {
  if (answer === null) return null;
  if (answer.refused) return html`<${ProblemBox} problem=${answer.refused} />`;
  const effects = answer.effects ?? [];
  return html`<section class="preview" aria-label=${t('title.preview')}><h3>${t('title.preview')}</h3>
    ${answer.text && effects.length === 0 && html`<p><${Words} text=${answer.text} /></p>`}
    ${effects.length > 0 && html`<${Effects} effects=${effects.slice(0, MOST_EFFECTS)} />`}
    ${effects.length > MOST_EFFECTS && html`<details><summary>${t('text.more', {count: effects.length - MOST_EFFECTS})}</summary><${Effects} effects=${effects.slice(MOST_EFFECTS)} /></details>`}</section>`;
}

/** A refused command in words, with what to do next. */
function Outcome({problem}) {
  if (!problem) return null;
  const next = {CONFLICT: 'problem.conflict', OUTCOME_UNKNOWN: 'problem.unknown', FORBIDDEN: 'problem.forbidden'}[problem.code];
  return html`<${ProblemBox} problem=${problem} />${next && html`<p class="hint">${t(next)}</p>`}`;
}

function Input({field, value, set}) {
  const label = t('field.' + field.name);
  const change = event => set(event.target.value);
  switch (field.type) {
    case 'fixed':
      return value === '' || value === undefined || Array.isArray(value) && value.length === 0 ? null
        : html`<p class="fixed"><span>${label}</span> <code title=${value}>${words(Array.isArray(value) ? value.map(each => field.name === 'kinds' ? t('kind.' + each) : each).join(', ') : value)}</code></p>`;
    case 'flag':
      return html`<label class="check"><input type="checkbox" checked=${value} onChange=${event => set(event.target.checked)} /> ${label}</label>`;
    case 'choice':
      return html`<fieldset class="field"><legend>${label}</legend>${[true, false].map(each => html`<label class="check"><input type="radio" name=${field.name}
        checked=${value === each} onChange=${() => set(each)} /> ${t(`choice.${field.name}.${each}`)}</label>`)}</fieldset>`;
    case 'time':
      return html`<${Field} label=${label} hint=${zoneText()}><input type="datetime-local" step="1" required=${field.required} value=${value} onInput=${change} /></${Field}>`;
    case 'until':
      return html`<${Field} label=${label}><select value=${value} onChange=${change}>
        ${[['', 'until.none'], ['30', 'until.30'], ['60', 'until.60'], ['240', 'until.240'], ['1440', 'until.1440'], ['10080', 'until.10080']].map(
          ([minutes, text]) => html`<option value=${minutes}>${t(text)}</option>`)}</select></${Field}>`;
    case 'number':
      return html`<${Field} label=${label}><input type="number" min="1" value=${value} onInput=${change} /></${Field}>`;
    case 'map':
      return html`<${Field} label=${label} hint=${t('hint.map')}><textarea rows="2" onInput=${change}>${value}</textarea></${Field}>`;
    case 'items':
      return html`<${Field} label=${label} hint=${t('hint.items')}><input value=${Array.isArray(value) ? value.join(', ') : value} onInput=${change} /></${Field}>`;
    case 'duration':
      return html`<${Field} label=${label} hint=${t('hint.duration')}><input placeholder="PT10M" value=${value} onInput=${change} /></${Field}>`;
    case 'override':
      return html`<${OverrideInput} value=${value} set=${set} />`;
    case 'document':
      return html`<${Field} label=${label}><textarea rows="8" onInput=${change}>${value}</textarea></${Field}>`;
    default:
      return html`<${Field} label=${label}><input value=${value} onInput=${change} /></${Field}>`;
  }
}

/** A new value of one field, as JSON or, if it is none, as plain text. */
function OverrideInput({value, set}) {
  const change = event => {
    const text = event.target.value;
    let json = text;
    try {
      json = JSON.parse(text);
    } catch (e) { // a plain text
    }
    set({...value, text, json});
  };
  return html`<${Field} label=${value.field} hint=${t('hint.override')}>
    <textarea rows=${(value.text ?? '').length > 60 ? 4 : 1} onInput=${change}>${value.text}</textarea></${Field}>`;
}

/** Runs one command for the jobs that were shown, never for a list that is read again. */
function BulkDialog({name, namespace, jobs, values: given, done}) {
  const [values, setValues] = useState(initial(name, given));
  const [reason, setReason] = useState('');
  const [results, setResults] = useState({});
  const [busy, setBusy] = useState(false);
  const fields = COMMANDS[name].fields.filter(field => field.type === 'until' || field.type === 'choice');
  const [facts, setFacts] = useState({});
  const [typed, setTyped] = useState('');
  const left = jobs.filter(job => results[job] !== true);
  const form = JSON.stringify(values);
  useEffect(() => {
    let stale = false;
    const read = async job => {
      const view = REPLACED[name] && await get(at(namespace, 'jobs', job));
      const preview = ['resume', 'trigger'].includes(name) && await command(path(name, namespace, job), body(name, values, '', null), {dryRun: true});
      return [replaced(name, view || null, values), preview?.effects ?? []];
    };
    (async () => {
      for (const job of jobs) {
        const fact = await read(job).catch(problem => [[], [problem.message]]);
        if (stale) return;
        setFacts(before => ({...before, [job]: fact}));
      }
    })();
    return () => { stale = true; };
  }, [form]);
  const confirm = left.some(job => facts[job]?.[0].some(isOfOthers));
  const send = async event => {
    event.preventDefault();
    setBusy(true);
    const all = {...results};
    for (const job of left) {
      try {
        await command(path(name, namespace, job), body(name, values, reason, null));
        all[job] = true;
      } catch (e) {
        all[job] = e;
      }
      setResults({...all});
    }
    setBusy(false);
    const failed = jobs.filter(job => all[job] !== true).length;
    say(t('said.bulk', {done: jobs.length - failed, count: jobs.length}), failed === 0 ? 'ok' : 'bad');
    if (failed === 0) closeDialog();
    readAgain();
    done?.();
  };
  return html`<${Dialog} title=${t('title.bulk', {command: t('command.' + name), count: jobs.length})} close=${closeDialog}>
    <form onSubmit=${send} autocomplete="off">
      <p class="hint">${t('hint.' + name)}</p>
      <ul class="bulk">${jobs.map(job => html`<li>${job} ${results[job] === true ? '✓' : results[job] && html`<span class="bad">${words(results[job].message)}</span>`}
        ${results[job] !== true && facts[job] && html`<${Replaced} changes=${facts[job][0]} />${facts[job][1].map(each => html`<small><${Words} text=${each} /></small><br />`)}`}</li>`)}</ul>
      ${fields.map(field => html`<${Input} field=${field} value=${values[field.name]} set=${value => setValues({...values, [field.name]: value})} />`)}
      <${Field} label=${t('field.reasonOptional')} hint=${t('hint.reason')}>
        <input name="reason" maxlength="500" value=${reason} onInput=${event => setReason(event.target.value)} /></${Field}>
      ${confirm && html`<${Field} label=${t('field.confirm', {name: namespace})}>
        <input name="confirm" value=${typed} onInput=${event => setTyped(event.target.value)} /></${Field}>`}
      <footer><button type="button" onClick=${closeDialog}>${t('action.close')}</button>
        <button type="submit" class=${COMMANDS[name].strong ? 'strong' : 'primary'} disabled=${busy || left.length === 0 || confirm && typed !== namespace}>
          ${t('action.bulk', {command: t('command.' + name), count: left.length})}</button></footer>
    </form></${Dialog}>`;
}
