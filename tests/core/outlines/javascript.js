'use strict';
const fs = require('fs'), path = require('path');
const { join, resolve: absolute } = path;
let counter = 0; // one name: the whole statement is its extent

function init() {}
function init() {
  return 2;
}

export async function* stream(source) {
  const local = 1;
  const step = () => local;
  function nested() {}
  yield step();
}

// Not part of it.
export class Cache extends Map {
  static limit = 10;
  #entries = new Map();
  handle = (event) => {
    return event;
  };

  constructor() {
    super();
    this.reset = function () {};
  }

  get size() {
    return 1;
  }

  set size(value) {}

  static create() {}

  *[Symbol.iterator]() {}
}

const routes = {
  list() {},
  remove: function (id) {
    return id;
  },
  'by.name': (name) => name,
  async fetch() {},
  nested: {
    deep() {},
  },
};

exports.parse = function parse(text) {
  return text;
};
exports.limit = 3;
Cache.prototype.clear = function () {};
module.exports = {
  read: function read() {},
  write() {},
};

const one = () => 1, two = () => 2;
var Legacy = class {
  run() {}
};

app.get('/x', (request) => {
  return 'x';
});
app.get('/y', (request) => 'y');

export default () => {
  return null;
};
