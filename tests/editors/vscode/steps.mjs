// Runs the steps of a story one after the other, writes what was seen, and goes on after a failure to tell more.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export class Story {
  /** `out` is a folder for pictures and for `steps.json`. */
  constructor(name, out) {
    this.name = name;
    this.out = out;
    this.steps = [];
    this.workbench = undefined;
    mkdirSync(out, { recursive: true });
  }

  /** Runs one step; what it answers is what was seen. A picture is taken of every failure. */
  async step(title, act) {
    const began = Date.now();
    const entry = { title, ok: true, seen: '' };
    this.steps.push(entry);
    try {
      entry.seen = await act();
    } catch (error) {
      entry.ok = false;
      entry.seen = String(error?.message ?? error);
      const page = this.workbench?.page;
      await page?.screenshot({ path: join(this.out, `${this.name}-failed-${this.steps.length}.png`) }).catch(() => undefined);
      for (let i = 0; i < 3; i++) {
        await page?.keyboard.press('Escape').catch(() => undefined);
      }
    }
    entry.ms = Date.now() - began;
    const seen = (typeof entry.seen === 'string' ? entry.seen : JSON.stringify(entry.seen) ?? '').replace(/\s+/g, ' ');
    console.log(`${entry.ok ? 'ok  ' : 'FAIL'} ${title} (${entry.ms} ms)${seen === '' ? '' : `: ${seen.slice(0, entry.ok ? 300 : 1500)}`}`);
  }

  picture(name) {
    return this.workbench.shot(join(this.out, `${this.name}-${name}.png`));
  }

  /** Writes the result and answers the exit code. */
  end() {
    writeFileSync(join(this.out, `${this.name}.json`), JSON.stringify(this.steps, null, 1));
    return this.steps.every((step) => step.ok) ? 0 : 1;
  }
}

/** Fails the step unless the condition holds; `seen` says what was there instead. */
export function expect(condition, what, seen) {
  if (!condition) {
    throw new Error(`${what}; seen: ${JSON.stringify(seen)}`);
  }
}
