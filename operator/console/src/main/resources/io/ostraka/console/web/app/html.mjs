// The one place that binds htm to Preact, so that screens import one module.
import {h} from '../vendor/preact.mjs';
import htm from '../vendor/htm.mjs';

export {render, Fragment} from '../vendor/preact.mjs';
export {useEffect, useLayoutEffect, useMemo, useRef, useState, useErrorBoundary} from '../vendor/hooks.mjs';
export {signal, computed, effect, batch, useSignal, useComputed} from '../vendor/signals.mjs';

export const html = htm.bind(h);
