import { Injectable } from './core';

export interface Options<T> extends Base {
  readonly retries: number;
  onError?(error: Error): void;
  get limit(): number;
  nested: { inner: string };
}

export type Shape = {
  kind: 'circle';
  area(): number;
};
type Id = string | number;

export enum Level {
  Low = 1,
  High,
  'very-high' = 9,
}

declare const enum Flag { A }
export declare function declared(x: number): string;
declare let version: string;

declare module 'plugin' {
  export function load(): void;
  const ready: boolean;
}

namespace Geometry.Plane {
  export const origin = 0;
  export function dot(a: number, b: number) {
    return a * b;
  }
}

function pay(amount: number): void;
function pay(amount: string): void;
function pay(amount: Date): void;
function pay(amount: any) {
  const check = (value: unknown): boolean => !!value;
  check(amount);
}

@Injectable({ root: true })
export class Service<T> {
  @Input() private title: string = 'x';
  declare size: number;
  handler = (event: Event): void => {
    event.preventDefault();
  };

  constructor(private readonly store: Map<string, T>) {}

  @HostListener('click')
  // between the decorator and the method
  @Once()
  onClick(): void {}

  find(id: string): T;
  find(id: number): T;
  find(id: any): T {
    return this.store.get(id)!;
  }

  static create<U>(): Service<U> {
    return new Service<U>(new Map());
  }
}

export abstract class Shapes {
  abstract area(): number;
  protected abstract name: string;
}

export const routes = {
  list(): void {},
  remove: (id: number): number => id,
} as const;

export default class {
  run(): void {}
}
