// The one place that binds htm to Preact, so that screens import one module.
import {h} from '../vendor/preact.mjs';
import htm from '../vendor/htm.mjs';

export {render, Fragment} from '../vendor/preact.mjs';
export {useEffect, useLayoutEffect, useMemo, useRef, useState, useErrorBoundary} from '../vendor/hooks.mjs';
export {signal, computed, effect, batch, useSignal, useComputed} from '../vendor/signals.mjs';

/** Characters that change the direction of a text, so that it could look like another one. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns a text with the codes of the characters that change its direction in place of these characters. */
export const plain = text => text.replace(DIRECTIONS, each => '\\u' + each.charCodeAt(0).toString(16).padStart(4, '0'));

const shown = child => typeof child === 'string' ? plain(child) : Array.isArray(child) ? child.map(shown) : child;

/** The attributes that a browser shows or reads out. The values of inputs stay as they are, because they are sent again. */
const SHOWN = ['title', 'aria-label', 'label', 'placeholder'];

function attributes(props) {
  if (!SHOWN.some(name => typeof props?.[name] === 'string')) return props;
  return Object.fromEntries(Object.entries(props).map(([name, value]) => [name, SHOWN.includes(name) ? shown(value) : value]));
}

export const html = htm.bind((type, props, ...children) => h(type, attributes(props), ...children.map(shown)));
