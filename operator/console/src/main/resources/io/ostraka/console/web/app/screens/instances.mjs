// The instances with what they hold, and the buttons that move it.
import {html, useEffect, useState} from '../html.mjs';
import {address, at, command, get, getWhole, session} from '../api.mjs';
import {CommandButton} from '../commands.mjs';
import {instanceName, number} from '../format.mjs';
import {useFollow} from '../live.mjs';
import {route, setQuery} from '../router.mjs';
import {Changed, Copied, Empty, Link, Loaded, say, Since, State, symbol, useFreeze, Words} from '../ui.mjs';
import {t} from '../texts.mjs';
import {AGAIN, useView} from '../view.mjs';
import {deadInstances, instanceState, Kind} from './overview.mjs';

const PROBLEMS_MILLIS = 5000;

export function Instances({namespace}) {
  const view = useView(namespace, () => read(namespace), change);
  const problems = useView(namespace + ' problems', () => get(at(namespace, 'problems')),
    (value, name) => name.startsWith('instance') ? AGAIN : undefined, PROBLEMS_MILLIS).value.value?.problems ?? [];
  useFollow(namespace);
  return html`<section><div class="title"><h1>${t('nav.instances')}</h1></div>
    <${Loaded} view=${view}>${value => html`<${List} namespace=${namespace} value=${value} problems=${problems} />`}</${Loaded}>
    ${session.value?.console?.playground && html`<${Playground} />`}</section>`;
}

async function read(namespace) {
  const [details, instances] = await Promise.all([getWhole(at(namespace)), get(at(namespace, 'instances'))]);
  return {details: details.json, version: details.version, role: details.role, instances: instances.instances};
}

function change(value, name, data) {
  if (name === 'instance-removed') return {...value, instances: value.instances.filter(each => each.instance.id !== data.instance)};
  if (name === 'instance') {
    const others = value.instances.filter(each => each.instance.id !== data.instance.id);
    return {...value, instances: [...others, data].sort((a, b) => a.instance.id.localeCompare(b.instance.id))};
  }
  return name === 'namespace' ? AGAIN : undefined;
}

const sum = items => Object.values(items).reduce((a, b) => a + b, 0);

function List({namespace, value, problems}) {
  const {details, instances} = value;
  const drained = Object.entries(details.drained);
  const frozen = details.frozen;
  useFreeze(details);
  const dead = deadInstances(instances, problems);
  return html`<div class="bar">${frozen ? html`<span class="state hold"><span aria-hidden="true">${symbol('FROZEN')}</span> ${t('overview.frozen')}</span><${Changed} change=${frozen} />
        <${CommandButton} name="thaw" namespace=${namespace} version=${value.version} />`
      : html`<${CommandButton} name="freeze" namespace=${namespace} version=${value.version} />`}
      <a class="button" href=${address(at(namespace, 'settings'))} download=${namespace + '-settings.json'} title=${t('hint.export')}>${t('action.export')}</a>
      <${CommandButton} name="apply" namespace=${namespace} version=${value.version} /></div>
    ${drained.length > 0 && html`<ul class="plain">${drained.map(([name, each]) => html`<li><${State} state="DRAINING" text=${t('overview.drained', {name})} />
      <${Changed} change=${each} /> <${CommandButton} name="undrain-instance" namespace=${namespace} values=${{instance: name}} version=${value.version} small /></li>`)}</ul>`}
    ${instances.length === 0 && html`<${Empty}>${t('overview.noInstances')}</${Empty}>`}
    ${instances.length + dead.length > 0 && html`<div class="cards">${dead.map(id => html`<${Dead} key=${id} namespace=${namespace} id=${id} problems=${problems} />`)}
      ${instances.map(each => html`<${Instance} key=${each.instance.id} namespace=${namespace} each=${each} version=${value.version} problems=${problems}
        drained=${Object.hasOwn(details.drained, instanceName(each.instance.id))} />`)}</div>`}`;
}

/** Why an instance is in its state. The card of a live instance has its own problems already. */
function Causes({namespace, causes}) {
  return causes.map(each => html`<p class="bad" data-kind=${each.kind}><${Kind} kind=${each.kind} />${' '}
    ${each.job && html`<${Link} to=${[namespace, 'jobs', each.job]}>${each.job}</${Link}> `}<${Words} text=${each.text} />
    ${each.since && html`<span class="since"> · <${Since} at=${each.since} /></span>`}${!each.job && each.details.map(detail => html`<br /><small><${Words} text=${detail} /></small>`)}</p>`);
}

/** An instance that is not registered any more, but whose items no other instance has yet. */
function Dead({namespace, id, problems}) {
  const {state, causes} = instanceState(id, undefined, problems);
  return html`<article class="card gone" data-instance=${instanceName(id)}><header><h2>${instanceName(id)}</h2><${State} state=${state} /></header>
    <${Causes} namespace=${namespace} causes=${causes} /><dl class="rows"><div><dt>${t('field.id')}</dt><dd><${Copied} text=${id} shown=${id} /></dd></div></dl></article>`;
}

function Instance({namespace, each, version, drained, problems}) {
  const {id, host, zone, tags, weight} = each.instance;
  const {instance: open} = route.value.query;
  const name = instanceName(id);
  const {state, causes} = instanceState(id, each, problems);
  const selected = open === id || open === name;
  const items = Object.entries(each.items).sort((a, b) => b[1] - a[1]);
  const shown = selected ? items : items.slice(0, 6);
  return html`<article class=${'card' + (selected ? ' chosen' : '')} data-instance=${name}>
    <header><h2>${name}</h2><${State} state=${state} />${state !== each.state && each.state !== 'WORKING' && html` <${State} state=${each.state} />`}${each.leading && html` <span class="tag">${t('text.leader')}</span>`}</header>
    ${each.clockAhead && html`<p class="bad">${t('overview.clock', {host})}</p>`}
    ${each.problem && html`<p class="bad"><${Words} text=${each.problem} /></p>`}${each.healthGap && html`<p class="bad"><${Words} text=${each.healthGap} /></p>`}
    <${Causes} namespace=${namespace} causes=${causes.filter(cause => cause.job)} />
    <dl class="rows"><div><dt>${t('field.host')}</dt><dd>${host}${zone && ` · ${zone}`}</dd></div>
      <div><dt>${t('field.process')}</dt><dd>${each.pid}</dd></div>
      ${weight !== 1 && html`<div><dt>${t('field.weight')}</dt><dd>${weight}</dd></div>`}
      ${Object.entries(tags).map(([key, text]) => html`<div><dt>${key}</dt><dd>${text}</dd></div>`)}
      <div><dt>${t('field.id')}</dt><dd><${Copied} text=${id} shown=${id} /></dd></div>
      <div><dt>${t('field.items')}</dt><dd>${t('text.items', {count: sum(each.items)})} ${t('text.ofJobs', {count: each.jobs.length})}</dd></div></dl>
    <ul class="plain">${shown.map(([job, count]) => html`<li><${Link} to=${[namespace, 'jobs', job]}>${job}</${Link}><span class="right">${number(count)}</span></li>`)}
      ${items.length > shown.length && html`<li><button type="button" class="plain" onClick=${() => setQuery({instance: id})}>${t('text.more', {count: items.length - shown.length})}</button></li>`}</ul>
    <p class="actions">${drained ? html`<${CommandButton} name="undrain-instance" namespace=${namespace} values=${{instance: name}} version=${version} small />`
      : html`<${CommandButton} name="drain-instance" namespace=${namespace} values=${{instance: name}} version=${version} small />`}
      <${CommandButton} name="evict-instance" namespace=${namespace} values=${{instance: id}} small /></p></article>`;
}

/** Faults for visitors of the playground; no other console has these routes. */
function Playground() {
  const [workers, setWorkers] = useState([]);
  const load = () => get('/playground').then(answer => setWorkers(answer.workers), () => {});
  useEffect(() => {
    load();
    const timer = setInterval(load, 2000);
    return () => clearInterval(timer);
  }, []);
  const act = (name, worker) => command('/playground/' + name, {worker}).then(load, problem => say(problem.message, 'bad'));
  return html`<section class="playground"><h2>${t('title.playground')}</h2><p class="hint">${t('text.playground')}</p>
    <ul class="plain">${workers.map(({name, pid, state}) => html`<li key=${name}><strong>${name}</strong> <${State} state=${state === 'FROZEN' ? 'SUSPENDED' : state} /> <small>${pid}</small>
      <span class="actions right">${state === 'RUNNING' && html`<button type="button" class="strong small" onClick=${() => act('kill', name)}>${t('playground.kill')}</button>
          <button type="button" class="small" onClick=${() => act('freeze', name)}>${t('playground.freeze')}</button>`}
        ${state === 'FROZEN' && html`<button type="button" class="small" onClick=${() => act('resume', name)}>${t('playground.resume')}</button>
          <button type="button" class="strong small" onClick=${() => act('kill', name)}>${t('playground.kill')}</button>`}
        ${state === 'DEAD' && html`<button type="button" class="primary small" onClick=${() => act('start', name)}>${t('playground.start')}</button>`}</span></li>`)}</ul></section>`;
}
