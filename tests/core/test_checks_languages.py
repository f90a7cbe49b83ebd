"""Each form of check in each language that answers it: what holds, what fails and what cannot be decided.

The outcomes are what the code of each fixture plainly says; a line is the outcome and the check.
"""

from __future__ import annotations

from collections import Counter

import pytest

from lsp_server.core.checks import FORMS, judge_check, parse_check
from lsp_server.core.model import SourceState
from lsp_server.core.source import Source, read_source
from lsp_server.core.text import Text

FIXTURES: dict[str, tuple[str, str, str]] = {
    "python": (
        "app/auth.py",
        """
import os.path
from hmac import compare_digest as same
from .keys import load
from .plugins import *

TIMEOUT = 30
RATE = 60 * 60
NAME = "web"
MODE = Mode.FAST
PORTS = [80, 443]
WORKERS = count_cpus()


@register("auth")
@final
class Provider(base.BaseProvider, Generic[T]):
    limit = -3

    @app.route("/login")
    def login(self, user, timeout=30, *, retries: int = 5):
        self.audit.write(user)
        if same(user.key, load()):
            return retry(check)
        return handlers[user.kind](user)


class Mixed(mix(One), Two):
    pass
""",
        """
        holds exists app/auth.py#Provider.login
        holds exists app/auth.py#Provider.login(timeout)
        fails exists app/auth.py#Provider.logout
        fails exists app/auth.py#Provider.login(password)
        undecidable exists ../outside.py
        holds absent app/auth.py#Provider.legacy
        fails absent app/auth.py#Provider.login
        undecidable absent ../outside.py
        holds equals app/auth.py#TIMEOUT 30
        fails equals app/auth.py#TIMEOUT 60
        holds equals app/auth.py#TIMEOUT 0x1E
        holds equals app/auth.py#RATE 3600
        fails equals app/auth.py#RATE 60
        holds equals app/auth.py#NAME 'web'
        holds equals app/auth.py#NAME web
        fails equals app/auth.py#NAME "site"
        holds equals app/auth.py#MODE Mode.FAST
        fails equals app/auth.py#MODE Mode.SLOW
        undecidable equals app/auth.py#MODE 3
        holds equals app/auth.py#PORTS [80, 443,]
        fails equals app/auth.py#PORTS [80, 8443]
        undecidable equals app/auth.py#WORKERS 4
        holds equals app/auth.py#Provider.limit -3
        holds equals app/auth.py#Provider.login(timeout) 30
        fails equals app/auth.py#Provider.login(retries) 3
        fails equals app/auth.py#Provider.login(user) 3
        undecidable equals app/auth.py#Provider.login(password) 3
        undecidable equals app/auth.py#Provider.login 3
        holds calls app/auth.py#Provider.login audit.write
        holds calls app/auth.py#Provider.login same
        fails calls app/auth.py#Provider.login audit.read
        undecidable calls app/auth.py#Provider.login check
        undecidable calls app/auth.py#Provider.login handlers
        holds not-calls app/auth.py#Provider.login eval
        fails not-calls app/auth.py#Provider.login same
        undecidable not-calls app/auth.py#Provider.login hmac.same
        holds imports app/auth.py hmac
        holds imports app/auth.py hmac.compare_digest
        holds imports app/auth.py os
        holds imports app/auth.py app.keys
        fails imports app/auth.py json
        undecidable imports app/auth.py app.plugins.mail
        holds decorated app/auth.py#Provider final
        holds decorated app/auth.py#Provider.login app.route
        fails decorated app/auth.py#Provider.login final
        undecidable decorated app/auth.py#Provider.login web.app.route
        holds base app/auth.py#Provider BaseProvider
        holds base app/auth.py#Provider Generic
        fails base app/auth.py#Provider Other
        undecidable base app/auth.py#Mixed One
        holds matches app/auth.py#Provider.login /retries: int = \\d+/
        fails matches app/auth.py#Provider.login /password/
        undecidable matches app/gone.py /x/
        """,
    ),
    "javascript": (
        "src/auth.js",
        """
import { sign as seal } from "jose/jwt";
import * as keys from "./keys.js";
const fs = require("fs");
export * from "./all";

export const TIMEOUT = 30;
const SIZE = 8 * 1024;
const NAME = 'web';
const WORKERS = os.cpus().length;

@injectable()
class Provider extends base.BaseProvider {
  limit = -3;

  @log
  login(user, timeout = 30) {
    this.audit?.write(user);
    return new Session(seal(user), retry(check));
  }
}

class Mixed extends mix(One) {}
""",
        """
        holds exists src/auth.js#Provider.login
        fails exists src/auth.js#Provider.logout
        undecidable exists ../outside.js
        holds absent src/auth.js#Provider.logout
        fails absent src/auth.js#TIMEOUT
        undecidable absent ../outside.js#a
        holds equals src/auth.js#TIMEOUT 30
        fails equals src/auth.js#TIMEOUT 60
        holds equals src/auth.js#SIZE 8192
        holds equals src/auth.js#NAME "web"
        undecidable equals src/auth.js#WORKERS 4
        holds equals src/auth.js#Provider.login(timeout) 30
        fails equals src/auth.js#Provider.login(timeout) 31
        holds calls src/auth.js#Provider.login audit.write
        holds calls src/auth.js#Provider.login Session
        fails calls src/auth.js#Provider.login audit.read
        undecidable calls src/auth.js#Provider.login check
        holds not-calls src/auth.js eval
        fails not-calls src/auth.js#Provider.login seal
        undecidable not-calls src/auth.js#Provider.login check
        holds imports src/auth.js fs
        holds imports src/auth.js jose
        holds imports src/auth.js src/keys
        holds imports src/auth.js ./all
        fails imports src/auth.js lodash
        undecidable imports src/gone.js lodash
        holds decorated src/auth.js#Provider injectable
        fails decorated src/auth.js#Provider log
        undecidable decorated src/auth.js#Provider di.injectable
        holds base src/auth.js#Provider BaseProvider
        fails base src/auth.js#Provider Other
        undecidable base src/auth.js#Mixed One
        holds matches src/auth.js#Provider.login /this\\.AUDIT/i
        fails matches src/auth.js#Provider.login /this\\.AUDIT/
        undecidable matches src/gone.js /x/
        """,
    ),
    "typescript": (
        "src/auth.ts",
        """
import type { Key } from "./keys";
import eq = require("fast-equals");

export const TIMEOUT = 30 as const;
export const LIMITS: readonly number[] = [10, 20];
let workers: number = cpus();

enum Mode { Fast = "fast", Slow = "slow" }

@Component({ selector: "auth" })
export class Provider<T> extends Base<T> implements Login, api.Logout {
  private readonly limit: number = 3;

  @Get("/login")
  login(user: string, timeout: number = 30): void {
    this.audit!.write<string>(user);
    queue.push(check);
  }
}

interface Wide extends Narrow, Other<string> {}
class Mixed extends mix(One) {}
""",
        """
        holds exists src/auth.ts#Wide
        fails exists src/auth.ts#Narrow
        undecidable exists ../outside.ts
        holds absent src/auth.ts#Provider.logout
        fails absent src/auth.ts#Provider
        undecidable absent ../outside.ts
        holds equals src/auth.ts#TIMEOUT 30
        fails equals src/auth.ts#TIMEOUT 60
        holds equals src/auth.ts#LIMITS [10, 20]
        fails equals src/auth.ts#LIMITS [10, 21]
        holds equals src/auth.ts#Mode.Fast "fast"
        holds equals src/auth.ts#Provider.login(timeout) 30
        fails equals src/auth.ts#Provider.login(timeout) 5
        fails equals src/auth.ts#Provider.login(user) 5
        undecidable equals src/auth.ts#workers 4
        holds calls src/auth.ts#Provider.login audit.write
        fails calls src/auth.ts#Provider.login audit.read
        undecidable calls src/auth.ts#Provider.login check
        holds not-calls src/auth.ts#Provider.login eval
        fails not-calls src/auth.ts#Provider.login push
        undecidable not-calls src/auth.ts#Provider.login check
        holds imports src/auth.ts ./keys
        holds imports src/auth.ts fast-equals
        fails imports src/auth.ts keys
        undecidable imports src/gone.ts keys
        holds decorated src/auth.ts#Provider Component
        holds decorated src/auth.ts#Provider.login Get
        fails decorated src/auth.ts#Provider.login Post
        undecidable decorated src/auth.ts#Provider ng.Component
        holds base src/auth.ts#Provider Login
        holds base src/auth.ts#Provider api.Logout
        holds base src/auth.ts#Wide Other
        fails base src/auth.ts#Provider Other
        undecidable base src/auth.ts#Mixed One
        holds matches src/auth.ts#Provider.login /timeout: number/
        fails matches src/auth.ts#Provider.login /timeout: string/
        undecidable matches src/auth.ts#Provider.gone /x/
        """,
    ),
    "go": (
        "auth/auth.go",
        """
package auth

import (
	"crypto/hmac"
	dot "example.invalid/dot"
)

const Timeout = 30 * time.Second
const Retries = 3

var workers = runtime.NumCPU()

type Provider struct {
	Base
	*store.Keys
	limit int
}

func (p *Provider) Login(user string) error {
	p.audit.Write(user)
	go run(check)
	return hmac.Equal(user)
}
""",
        """
        holds exists auth/auth.go#Provider.Login
        fails exists auth/auth.go#Provider.Logout
        undecidable exists ../outside.go
        holds absent auth/auth.go#Provider.Logout
        fails absent auth/auth.go#Timeout
        undecidable absent ../outside.go
        holds equals auth/auth.go#Timeout 30 * time.Second
        fails equals auth/auth.go#Timeout 60 * time.Second
        holds equals auth/auth.go#Retries 3
        fails equals auth/auth.go#Retries 5
        undecidable equals auth/auth.go#workers 4
        undecidable equals auth/auth.go#Provider.Login(user) 4
        holds calls auth/auth.go#Provider.Login hmac.Equal
        fails calls auth/auth.go#Provider.Login audit.Read
        undecidable calls auth/auth.go#Provider.Login check
        holds not-calls auth/auth.go#Provider.Login exec.Command
        fails not-calls auth/auth.go#Provider.Login audit.Write
        undecidable not-calls auth/auth.go#Provider.Login jobs.run
        holds imports auth/auth.go crypto/hmac
        fails imports auth/auth.go crypto
        undecidable imports auth/gone.go crypto
        undecidable decorated auth/auth.go#Provider final
        holds base auth/auth.go#Provider Base
        holds base auth/auth.go#Provider store.Keys
        fails base auth/auth.go#Provider Other
        undecidable base auth/auth.go#Gone Base
        holds matches auth/auth.go#Provider.Login /go run\\(/
        fails matches auth/auth.go#Provider.Login /defer/
        undecidable matches auth/gone.go /x/
        """,
    ),
    "rust": (
        "src/auth.rs",
        """
use std::collections::{HashMap, hash_map::Entry};
use crate::keys::*;

pub const TIMEOUT: u64 = 30_u64;
static WAIT: Duration = Duration::from_secs(30);
static WORKERS: usize = num_cpus();

#[derive(Debug, Clone)]
pub struct Provider { limit: u32 }

impl fmt::Display for Provider {
    #[inline]
    fn fmt(&self) -> Result { self.audit.write(1); Box::<u8>::new(2); println!("x"); run(check) }
}

trait Wide: Narrow {}
""",
        """
        holds exists src/auth.rs#Provider.fmt
        fails exists src/auth.rs#Provider.login
        undecidable exists ../outside.rs
        holds absent src/auth.rs#Provider.login
        fails absent src/auth.rs#TIMEOUT
        undecidable absent ../outside.rs
        holds equals src/auth.rs#TIMEOUT 30
        fails equals src/auth.rs#TIMEOUT 60
        holds equals src/auth.rs#WAIT Duration::from_secs(30)
        fails equals src/auth.rs#WAIT Duration::from_secs(60)
        undecidable equals src/auth.rs#WORKERS 4
        holds calls src/auth.rs#Provider.fmt audit.write
        holds calls src/auth.rs#Provider.fmt println!
        fails calls src/auth.rs#Provider.fmt audit.read
        undecidable calls src/auth.rs#Provider.fmt check
        holds not-calls src/auth.rs unwrap
        fails not-calls src/auth.rs Box::new
        undecidable not-calls src/auth.rs jobs::run
        holds imports src/auth.rs std::collections
        holds imports src/auth.rs std::collections::hash_map::Entry
        fails imports src/auth.rs std::fs
        undecidable imports src/auth.rs crate::keys::Key
        holds decorated src/auth.rs#Provider Clone
        holds decorated src/auth.rs#Provider.fmt inline
        fails decorated src/auth.rs#Provider Copy
        undecidable decorated src/auth.rs#Provider serde::Clone
        holds base src/auth.rs#Provider Display
        holds base src/auth.rs#Wide Narrow
        fails base src/auth.rs#Wide Debug
        undecidable base src/auth.rs#Provider Copy
        holds matches src/auth.rs#Provider /pub struct/
        fails matches src/auth.rs#Provider /pub enum/
        undecidable matches src/gone.rs /x/
        """,
    ),
    "java": (
        "src/Auth.java",
        """
package auth;
import java.security.MessageDigest;
import java.util.*;

@Entity(name = "auth")
class Auth extends Base<String> implements Login, Logout {
  static final int TIMEOUT = 30;
  static final long SIZE = 30L;
  static final String NAME = "web";
  static final int WORKERS = cpus();

  @Override public void login(@NonNull String user) {
    this.audit.write(user);
    new Session(user);
    check();
    run(this::audit);
  }
}

interface Wide extends Narrow {}
""",
        """
        holds exists src/Auth.java#Auth.login
        fails exists src/Auth.java#Auth.logout
        undecidable exists ../Outside.java
        holds absent src/Auth.java#Auth.logout
        fails absent src/Auth.java#Wide
        undecidable absent ../Outside.java
        holds equals src/Auth.java#Auth.TIMEOUT 30
        fails equals src/Auth.java#Auth.TIMEOUT 60
        holds equals src/Auth.java#Auth.SIZE 30
        holds equals src/Auth.java#Auth.NAME web
        undecidable equals src/Auth.java#Auth.WORKERS 4
        holds calls src/Auth.java#Auth.login audit.write
        holds calls src/Auth.java#Auth.login Session
        fails calls src/Auth.java#Auth.login audit.read
        undecidable calls src/Auth.java#Auth.login audit
        holds not-calls src/Auth.java#Auth.login exit
        fails not-calls src/Auth.java#Auth.login check
        undecidable not-calls src/Auth.java#Auth.login Guard.check
        holds imports src/Auth.java java.security
        holds imports src/Auth.java java.security.MessageDigest
        fails imports src/Auth.java java.io.File
        undecidable imports src/Auth.java java.util.List
        holds decorated src/Auth.java#Auth Entity
        fails decorated src/Auth.java#Auth.login NonNull
        undecidable decorated src/Auth.java#Auth jpa.Entity
        holds base src/Auth.java#Auth Base
        holds base src/Auth.java#Auth Logout
        fails base src/Auth.java#Auth Narrow
        undecidable base src/Auth.java#Gone Narrow
        holds matches src/Auth.java#Auth.login /^\\s+check\\(\\);$/
        fails matches src/Auth.java#Auth.login /^check\\(\\);$/
        undecidable matches src/Gone.java /x/
        """,
    ),
    "c": (
        "src/auth.c",
        """
#include <stdio.h>
#include "keys/keys.h"
#define TIMEOUT 30
#define WAIT (30 * 1000)
static const int SIZE = 0x1E;
static int workers = cpus();

__attribute__((noinline)) int login(int user) {
  audit(user);
  p->write(1);
  (*table)(2);
  each(check);
  return 1;
}
""",
        """
        holds exists src/auth.c#login
        fails exists src/auth.c#logout
        undecidable exists ../outside.c
        holds absent src/auth.c#logout
        fails absent src/auth.c#TIMEOUT
        undecidable absent ../outside.c
        holds equals src/auth.c#TIMEOUT 30
        fails equals src/auth.c#TIMEOUT 60
        holds equals src/auth.c#WAIT 30000
        holds equals src/auth.c#SIZE 30
        undecidable equals src/auth.c#workers 4
        holds calls src/auth.c#login audit
        holds calls src/auth.c#login p->write
        fails calls src/auth.c#login logout
        undecidable calls src/auth.c#login check
        holds not-calls src/auth.c#login gets
        fails not-calls src/auth.c#login audit
        undecidable not-calls src/auth.c#login check
        holds imports src/auth.c stdio.h
        holds imports src/auth.c keys.h
        fails imports src/auth.c stdlib.h
        undecidable imports src/gone.c stdlib.h
        holds decorated src/auth.c#login noinline
        fails decorated src/auth.c#login noreturn
        undecidable decorated src/auth.c#logout noreturn
        undecidable base src/auth.c#login Base
        holds matches src/auth.c /#define TIMEOUT/
        fails matches src/auth.c /#define LIMIT/
        undecidable matches src/gone.c /x/
        """,
    ),
    "cpp": (
        "src/auth.cpp",
        """
#include <vector>
#include "keys.hpp"

constexpr int timeout = 30;
const char *name = "web";
int workers = cpus();

class Provider : public Base, private api::Login<int> {
 public:
  [[nodiscard]] int login(int user, int timeout = 30, const char *mode = "fast") {
    audit<int>(user);
    api::open();
    session->write();
    new Session(user);
    each(check);
    return 1;
  }
};
""",
        """
        holds exists src/auth.cpp#Provider.login
        fails exists src/auth.cpp#Provider.logout
        undecidable exists ../outside.cpp
        holds absent src/auth.cpp#Provider.logout
        fails absent src/auth.cpp#timeout
        undecidable absent ../outside.cpp
        holds equals src/auth.cpp#timeout 30
        fails equals src/auth.cpp#timeout 60
        holds equals src/auth.cpp#Provider.login(timeout) 30
        holds equals src/auth.cpp#Provider.login(mode) "fast"
        fails equals src/auth.cpp#Provider.login(mode) "slow"
        undecidable equals src/auth.cpp#workers 4
        holds calls src/auth.cpp#Provider.login api::open
        holds calls src/auth.cpp#Provider.login audit
        fails calls src/auth.cpp#Provider.login close
        undecidable calls src/auth.cpp#Provider.login check
        holds not-calls src/auth.cpp#Provider.login gets
        fails not-calls src/auth.cpp#Provider.login Session
        undecidable not-calls src/auth.cpp#Provider.login log::audit
        holds imports src/auth.cpp vector
        fails imports src/auth.cpp map
        undecidable imports src/gone.cpp map
        holds decorated src/auth.cpp#Provider.login nodiscard
        fails decorated src/auth.cpp#Provider.login noreturn
        undecidable decorated src/auth.cpp#Provider.logout noreturn
        holds base src/auth.cpp#Provider Base
        holds base src/auth.cpp#Provider api::Login
        fails base src/auth.cpp#Provider Logout
        undecidable base src/auth.cpp#Gone Logout
        holds matches src/auth.cpp#Provider.login /audit<.*>/
        fails matches src/auth.cpp#Provider.login /audit\\[/
        undecidable matches src/gone.cpp /x/
        """,
    ),
    "ruby": (
        "lib/auth.rb",
        """
require "openssl"
require_relative "keys/store"
autoload :Jwt, "jwt"

TIMEOUT = 30
NAME = 'web'
WORKERS = Etc.nprocessors

class Provider < Base::Provider
  include Login, Logout

  def login(user, timeout = 30, retries: 5)
    @audit.write(user)
    Session.new(user)
    each(&check)
    puts
  end
end
""",
        """
        holds exists lib/auth.rb#Provider.login
        fails exists lib/auth.rb#Provider.logout
        undecidable exists ../outside.rb
        holds absent lib/auth.rb#Provider.logout
        fails absent lib/auth.rb#TIMEOUT
        undecidable absent ../outside.rb
        holds equals lib/auth.rb#TIMEOUT 30
        fails equals lib/auth.rb#TIMEOUT 60
        holds equals lib/auth.rb#NAME "web"
        holds equals lib/auth.rb#Provider.login(timeout) 30
        fails equals lib/auth.rb#Provider.login(retries) 6
        undecidable equals lib/auth.rb#WORKERS 4
        holds calls lib/auth.rb#Provider.login audit.write
        holds calls lib/auth.rb#Provider.login Session.new
        fails calls lib/auth.rb#Provider.login audit.read
        undecidable calls lib/auth.rb#Provider.login puts
        holds not-calls lib/auth.rb#Provider.login eval
        fails not-calls lib/auth.rb#Provider.login each
        undecidable not-calls lib/auth.rb#Provider.login check
        holds imports lib/auth.rb openssl
        holds imports lib/auth.rb keys/store
        holds imports lib/auth.rb lib/keys/store.rb
        holds imports lib/auth.rb jwt
        fails imports lib/auth.rb json
        undecidable imports lib/gone.rb json
        undecidable decorated lib/auth.rb#Provider.login memoize
        holds base lib/auth.rb#Provider Base::Provider
        holds base lib/auth.rb#Provider Logout
        fails base lib/auth.rb#Provider Other
        undecidable base lib/auth.rb#Gone Other
        holds matches lib/auth.rb#Provider.login /Session\\.new/
        fails matches lib/auth.rb#Provider.login /Session\\.open/
        undecidable matches lib/gone.rb /x/
        """,
    ),
    "php": (
        "src/Auth.php",
        """<?php
namespace App;
use Vendor\\Jwt\\Signer;
use Vendor\\{Keys, Store as Shop};
require_once 'helpers.php';
include __DIR__ . '/more.php';

const TIMEOUT = 30;
define('RETRIES', 5);

#[Service, Route('/auth')]
class Auth extends \\Base\\Provider implements Login {
  use Audited;
  const LIMIT = 3;
  public int $size = 10;
  public $workers = null;

  #[Get('/login')]
  function login(#[Input] string $user, int $timeout = 30) {
    $this->audit->write($user);
    Session::open($user);
    new Token($user);
    check($user);
    $run($user);
  }
}
""",
        """
        holds exists src/Auth.php#Auth.login
        fails exists src/Auth.php#Auth.logout
        undecidable exists ../Outside.php
        holds absent src/Auth.php#Auth.logout
        fails absent src/Auth.php#Auth
        undecidable absent ../Outside.php
        holds equals src/Auth.php#TIMEOUT 30
        holds equals src/Auth.php#RETRIES 5
        fails equals src/Auth.php#RETRIES 6
        holds equals src/Auth.php#Auth.LIMIT 3
        holds equals src/Auth.php#Auth.size 10
        holds equals src/Auth.php#Auth.login($timeout) 30
        fails equals src/Auth.php#Auth.login(timeout) 60
        undecidable equals src/Auth.php#Auth.login 60
        holds calls src/Auth.php#Auth.login audit->write
        holds calls src/Auth.php#Auth.login Session::open
        holds calls src/Auth.php#Auth.login Token
        fails calls src/Auth.php#Auth.login audit->read
        undecidable calls src/Auth.php#Auth.login user
        holds not-calls src/Auth.php#Auth.login eval
        fails not-calls src/Auth.php#Auth.login check
        undecidable not-calls src/Auth.php#Auth.login Guard\\check
        holds imports src/Auth.php Vendor\\Jwt\\Signer
        holds imports src/Auth.php Vendor\\Keys
        holds imports src/Auth.php helpers.php
        fails imports src/Auth.php Vendor\\Mail
        undecidable imports src/Auth.php more.php
        holds decorated src/Auth.php#Auth Service
        holds decorated src/Auth.php#Auth.login Get
        fails decorated src/Auth.php#Auth.login Input
        undecidable decorated src/Auth.php#Auth Di\\Service
        holds base src/Auth.php#Auth Base\\Provider
        holds base src/Auth.php#Auth Audited
        fails base src/Auth.php#Auth Logout
        undecidable base src/Auth.php#Gone Logout
        holds matches src/Auth.php#Auth /LIMIT = \\d;/
        fails matches src/Auth.php#Auth /LIMIT = \\d\\d;/
        undecidable matches src/Gone.php /x/
        """,
    ),
    "csharp": (
        "src/Auth.cs",
        """
using System.Text;
using Json = Newtonsoft.Json;

namespace App {
  [Serializable, Table("auth")]
  public class Auth : Base.Provider<int>, ILogin {
    public const int Timeout = 30;
    public string Name { get; set; } = "web";
    static int workers = Cpus();

    [HttpGet("/login")]
    public void Login([FromBody] string user, int timeout = 30) {
      this.audit.Write(user);
      new Session(user);
      Check<int>(user);
      Each(Run);
    }
  }

  public partial class Half : One { }
}
""",
        """
        holds exists src/Auth.cs#App.Auth.Login
        fails exists src/Auth.cs#App.Auth.Logout
        undecidable exists ../Outside.cs
        holds absent src/Auth.cs#App.Auth.Logout
        fails absent src/Auth.cs#App.Auth
        undecidable absent ../Outside.cs
        holds equals src/Auth.cs#App.Auth.Timeout 30
        fails equals src/Auth.cs#App.Auth.Timeout 60
        holds equals src/Auth.cs#App.Auth.Name "web"
        holds equals src/Auth.cs#App.Auth.Login(timeout) 30
        fails equals src/Auth.cs#App.Auth.Login(timeout) 60
        undecidable equals src/Auth.cs#App.Auth.workers 4
        holds calls src/Auth.cs#App.Auth.Login audit.Write
        holds calls src/Auth.cs#App.Auth.Login Session
        holds calls src/Auth.cs#App.Auth.Login Check
        fails calls src/Auth.cs#App.Auth.Login audit.Read
        undecidable calls src/Auth.cs#App.Auth.Login Run
        holds not-calls src/Auth.cs#App.Auth.Login Exit
        fails not-calls src/Auth.cs#App.Auth.Login Each
        undecidable not-calls src/Auth.cs#App.Auth.Login Guard.Check
        holds imports src/Auth.cs System.Text
        holds imports src/Auth.cs Newtonsoft.Json
        fails imports src/Auth.cs System.IO
        undecidable imports src/Gone.cs System.IO
        holds decorated src/Auth.cs#App.Auth Table
        holds decorated src/Auth.cs#App.Auth SerializableAttribute
        fails decorated src/Auth.cs#App.Auth.Login FromBody
        undecidable decorated src/Auth.cs#App.Auth Data.Table
        holds base src/Auth.cs#App.Auth Base.Provider
        fails base src/Auth.cs#App.Auth ILogout
        undecidable base src/Auth.cs#App.Half Two
        holds matches src/Auth.cs#App.Auth.Login /HttpGet/
        fails matches src/Auth.cs#App.Auth.Login /HttpPost/
        undecidable matches src/Gone.cs /x/
        """,
    ),
    "kotlin": (
        "src/Auth.kt",
        """
package auth

import java.security.MessageDigest
import auth.keys.*

const val TIMEOUT = 30
val name: String = "web"
val workers = cpus()

@Service
class Auth(val size: Int = 5) : Base.Provider<Int>(1), Login by other {
  val limit: Long = 30L

  @Get("/login")
  fun login(user: String, timeout: Int = 30, mode: String = "fast") {
    this.audit.write(user)
    Session(user)
    each { it }
    run(check)
  }
}

interface Wide : Narrow
""",
        """
        holds exists src/Auth.kt#Auth.login
        fails exists src/Auth.kt#Auth.logout
        undecidable exists ../Outside.kt
        holds absent src/Auth.kt#Auth.logout
        fails absent src/Auth.kt#Wide
        undecidable absent ../Outside.kt
        holds equals src/Auth.kt#TIMEOUT 30
        fails equals src/Auth.kt#TIMEOUT 60
        holds equals src/Auth.kt#name "web"
        holds equals src/Auth.kt#Auth.limit 30
        holds equals src/Auth.kt#Auth.login(mode) "fast"
        holds equals src/Auth.kt#Auth(size) 5
        fails equals src/Auth.kt#Auth.login(timeout) 60
        undecidable equals src/Auth.kt#workers 4
        holds calls src/Auth.kt#Auth.login audit.write
        holds calls src/Auth.kt#Auth.login each
        fails calls src/Auth.kt#Auth.login audit.read
        undecidable calls src/Auth.kt#Auth.login check
        holds not-calls src/Auth.kt#Auth.login exit
        fails not-calls src/Auth.kt#Auth.login Session
        undecidable not-calls src/Auth.kt#Auth.login jobs.run
        holds imports src/Auth.kt java.security
        fails imports src/Auth.kt java.io.File
        undecidable imports src/Auth.kt auth.keys.Key
        holds decorated src/Auth.kt#Auth.login Get
        fails decorated src/Auth.kt#Auth.login Post
        undecidable decorated src/Auth.kt#Auth di.Service
        holds base src/Auth.kt#Auth Base.Provider
        holds base src/Auth.kt#Wide Narrow
        fails base src/Auth.kt#Auth Narrow
        undecidable base src/Auth.kt#Gone Narrow
        holds matches src/Auth.kt#Auth.login /run\\(check\\)/
        fails matches src/Auth.kt#Auth.login /launch/
        undecidable matches src/Gone.kt /x/
        """,
    ),
    "yaml": (
        "deploy/app.yaml",
        """
replicas: 3
image: nginx:1.25
debug: no
ports: [80, 443]
shared: &shared 5
copied: *shared
note: |
  first
  second
nested:
  timeout: 30
""",
        """
        holds exists deploy/app.yaml#nested.timeout
        fails exists deploy/app.yaml#nested.retries
        undecidable exists ../app.yaml
        holds absent deploy/app.yaml#nested.retries
        fails absent deploy/app.yaml#replicas
        undecidable absent ../app.yaml
        holds equals deploy/app.yaml#replicas 3
        fails equals deploy/app.yaml#replicas 5
        fails equals deploy/app.yaml#replicas "3"
        holds equals deploy/app.yaml#image nginx:1.25
        holds equals deploy/app.yaml#debug false
        holds equals deploy/app.yaml#ports [80, 443]
        holds equals deploy/app.yaml#note "first\\nsecond\\n"
        holds equals deploy/app.yaml#nested {"timeout": 30}
        fails equals deploy/app.yaml#nested.timeout 60
        undecidable equals deploy/app.yaml#copied 5
        undecidable calls deploy/app.yaml x
        undecidable imports deploy/app.yaml x
        holds matches deploy/app.yaml#image /nginx/
        fails matches deploy/app.yaml#image /caddy/
        undecidable matches deploy/app.yaml#gone /caddy/
        """,
    ),
    "toml": (
        "pyproject.toml",
        """
[tool.app]
timeout = 30
size = 1_000
name = 'web'
tags = ["a", "b"]
at = 1979-05-27
""",
        """
        holds exists pyproject.toml#tool.app.timeout
        fails exists pyproject.toml#tool.app.retries
        undecidable exists ../pyproject.toml
        holds absent pyproject.toml#tool.other
        fails absent pyproject.toml#tool.app
        undecidable absent ../pyproject.toml
        holds equals pyproject.toml#tool.app.timeout 30
        fails equals pyproject.toml#tool.app.timeout 60
        holds equals pyproject.toml#tool.app.size 1000
        holds equals pyproject.toml#tool.app.name "web"
        holds equals pyproject.toml#tool.app.name web
        holds equals pyproject.toml#tool.app.tags ["a", "b"]
        fails equals pyproject.toml#tool.app.tags ["b", "a"]
        holds equals pyproject.toml#tool.app.at 1979-05-27
        undecidable equals pyproject.toml#tool.app.gone 1
        holds matches pyproject.toml /^timeout = \\d+$/
        fails matches pyproject.toml /^retries/
        undecidable matches gone.toml /x/
        """,
    ),
    "json": (
        "tsconfig.json",
        """
{"strict": true, "depth": 30, "name": "web\\u0041", "lib": ["a", {"b": null}], "ratio": 1.50}
""",
        """
        holds exists tsconfig.json#strict
        fails exists tsconfig.json#loose
        undecidable exists ../tsconfig.json
        holds absent tsconfig.json#loose
        fails absent tsconfig.json#strict
        undecidable absent ../tsconfig.json
        holds equals tsconfig.json#strict true
        fails equals tsconfig.json#strict 1
        holds equals tsconfig.json#depth 30
        fails equals tsconfig.json#depth 60
        holds equals tsconfig.json#name "webA"
        holds equals tsconfig.json#lib ["a", {"b": null}]
        holds equals tsconfig.json#ratio 1.5
        undecidable equals tsconfig.json#gone 1.5
        holds matches tsconfig.json /"strict": true/
        fails matches tsconfig.json /"strict": false/
        undecidable matches gone.json /x/
        """,
    ),
    "swift": (
        "Auth.swift",
        """
import Foundation
import struct Crypto.SHA256

let timeout = 30
let name: String = "web"
let workers = cpus()

@MainActor class Auth: Base.Provider<Int>, Login {
  @objc func login(_ user: String, timeout: Int = 30, mode: String = "fast") {
    self.audit.write(user)
    Session(user)
    forEach { it }
    run(check)
  }
}

extension Auth: Logout {}

protocol Wide: Narrow {}
""",
        """
        holds equals Auth.swift#timeout 30
        fails equals Auth.swift#timeout 60
        holds equals Auth.swift#name "web"
        undecidable equals Auth.swift#workers 4
        holds equals Auth.swift#Auth.login(mode) "fast"
        fails equals Auth.swift#Auth.login(timeout) 60
        holds calls Auth.swift#Auth.login audit.write
        holds calls Auth.swift#Auth.login Session
        fails calls Auth.swift#Auth.login audit.read
        undecidable calls Auth.swift#Auth.login check
        holds not-calls Auth.swift#Auth.login exit
        fails not-calls Auth.swift#Auth.login forEach
        undecidable not-calls Auth.swift#Auth.login jobs.run
        holds imports Auth.swift Foundation
        holds imports Auth.swift Crypto
        fails imports Auth.swift UIKit
        undecidable imports Gone.swift UIKit
        holds decorated Auth.swift#Auth MainActor
        holds decorated Auth.swift#Auth.login objc
        fails decorated Auth.swift#Auth.login MainActor
        undecidable decorated Auth.swift#Gone MainActor
        holds base Auth.swift#Auth Login
        holds base Auth.swift#Auth Logout
        holds base Auth.swift#Wide Narrow
        fails base Auth.swift#Wide Other
        undecidable base Auth.swift#Auth Other
        """,
    ),
    "scala": (
        "Auth.scala",
        """
package auth
import java.security.MessageDigest
import auth.keys._
import auth.store.{Shop, Cart => Basket}

object Limits {
  val timeout = 30
  val name = "web"
  val workers = cpus()
}

@deprecated("x") class Auth(size: Int = 5) extends Base.Provider[Int](1) with Login {
  def login(user: String, timeout: Int = 30): Unit = {
    this.audit.write(user)
    new Session(user)
    each(check)
    rows map run
  }
}
""",
        """
        holds equals Auth.scala#Limits.timeout 30
        fails equals Auth.scala#Limits.timeout 60
        holds equals Auth.scala#Limits.name "web"
        undecidable equals Auth.scala#Limits.workers 4
        holds equals Auth.scala#Auth.login(timeout) 30
        fails equals Auth.scala#Auth(size) 6
        holds calls Auth.scala#Auth.login audit.write
        holds calls Auth.scala#Auth.login Session
        holds calls Auth.scala#Auth.login rows.map
        fails calls Auth.scala#Auth.login audit.read
        undecidable calls Auth.scala#Auth.login check
        holds not-calls Auth.scala#Auth.login exit
        fails not-calls Auth.scala#Auth.login each
        undecidable not-calls Auth.scala#Auth.login run
        holds imports Auth.scala java.security.MessageDigest
        holds imports Auth.scala auth.store.Cart
        fails imports Auth.scala java.io.File
        undecidable imports Auth.scala auth.keys.Key
        holds decorated Auth.scala#Auth deprecated
        fails decorated Auth.scala#Auth.login deprecated
        undecidable decorated Auth.scala#Gone deprecated
        holds base Auth.scala#Auth Base.Provider
        holds base Auth.scala#Auth Login
        fails base Auth.scala#Auth Logout
        undecidable base Auth.scala#Gone Logout
        """,
    ),
    "lua": (
        "auth.lua",
        """
local keys = require("auth.keys")
TIMEOUT = 30
NAME = "web"
WORKERS = cpus()

function Auth.login(user)
  self.audit:write(user)
  each(check)
  handlers["a"](user)
end
""",
        """
        holds exists auth.lua#TIMEOUT
        holds equals auth.lua#TIMEOUT 30
        fails equals auth.lua#TIMEOUT 60
        holds equals auth.lua#NAME "web"
        undecidable equals auth.lua#WORKERS 4
        holds calls auth.lua#Auth.login audit.write
        fails calls auth.lua#Auth.login audit.read
        undecidable calls auth.lua#Auth.login check
        undecidable calls auth.lua#Auth.login handlers
        holds not-calls auth.lua#Auth.login exit
        fails not-calls auth.lua#Auth.login each
        holds imports auth.lua auth.keys
        fails imports auth.lua auth
        undecidable decorated auth.lua#Auth.login x
        """,
    ),
    "bash": (
        "run.sh",
        """
source ./lib/log.sh
. "$HERE/more.sh"
TIMEOUT=30

deploy() {
  log_it start
  local now=$(date)
  sudo rm -rf build
}
""",
        """
        holds equals run.sh#TIMEOUT 30
        fails equals run.sh#TIMEOUT 60
        holds calls run.sh#deploy log_it
        holds calls run.sh#deploy date
        fails calls run.sh#deploy curl
        undecidable calls run.sh#deploy rm
        holds not-calls run.sh#deploy curl
        fails not-calls run.sh#deploy sudo
        holds imports run.sh lib/log.sh
        holds imports run.sh more.sh
        fails imports run.sh other.sh
        undecidable imports gone.sh other.sh
        """,
    ),
    "plain text": (
        "notes.txt",
        """
The timeout is 30 seconds.
""",
        """
        holds exists notes.txt
        fails exists other.txt
        undecidable exists notes.txt#timeout
        undecidable equals notes.txt#timeout 30
        undecidable calls notes.txt timeout
        holds matches notes.txt /timeout is \\d+ seconds/
        holds matches notes.txt:2 /^The/
        fails matches notes.txt:1 /^The/
        undecidable matches notes.txt:7-9 /^The/
        """,
    ),
}


def check_outcome(language: str, line: str) -> None:
    name, code, _ = FIXTURES[language]

    def look(path: str) -> Source:
        if path == name:
            return read_source(path, Text.of(code))
        state = SourceState.OUTSIDE if path.startswith("..") else SourceState.GONE
        return Source(path, state, message=f"{path} is not inside." if state is SourceState.OUTSIDE else "")

    word, _, text = line.partition(" ")
    outcome = judge_check(parse_check(text), look)
    assert (outcome.word, text) == (word, text), outcome.detail
    assert outcome.detail.endswith(".") and "\n" not in outcome.detail
    if outcome.holds is False:
        assert outcome.detail.startswith("The memory says "), outcome.detail
    if outcome.holds is None:
        assert ":" in outcome.detail or "not inside" in outcome.detail, f"names no mend: {outcome.detail}"


LINES = [
    pytest.param(language, line.strip(), id=f"{language}: {line.strip()}")
    for language, (_, _, lines) in FIXTURES.items()
    for line in lines.splitlines()
    if line.strip()
]


@pytest.mark.parametrize(("language", "line"), LINES)
def test_outcome(language: str, line: str) -> None:
    check_outcome(language, line)


def test_each_form_has_each_outcome_in_eight_languages() -> None:
    seen = {(language, *line.split()[:2]) for language, (_, _, lines) in FIXTURES.items() for line in filtered(lines)}
    counted = Counter((form, word) for _, word, form in seen)
    assert {(form, word) for form in FORMS for word in ("holds", "fails", "undecidable")} == {
        pair for pair, number in counted.items() if number >= 8
    }


def filtered(lines: str) -> list[str]:
    return [line for line in lines.splitlines() if line.strip()]


VALUES = {
    "a.dart": ("const limit = 30;\nconst name = 'web';\n", "limit", "name"),
    "a.tf": ('locals {\n  limit = 30\n  name = "web"\n}\n', "locals.limit", "locals.name"),
    "Dockerfile": ('FROM a\nENV LIMIT=30\nENV NAME="web"\nARG X=30\n', "ENV.LIMIT", "ENV.NAME"),
    "a.ex": ('defmodule A do\n  @limit 30\n  @name "web"\nend\n', "A.limit", "A.name"),
    "a.ml": ('let limit = 30\nlet name = "web"\n', "limit", "name"),
    "a.jl": ('const limit = 30\nconst name = "web"\n', "limit", "name"),
    "a.zig": ('const limit = 30;\nconst name = "web";\n', "limit", "name"),
    "a.pl": ("our $limit = 30;\nuse constant NAME => 'web';\n", "limit", "NAME"),
    "a.ps1": ("$limit = 30\n$name = 'web'\n", "$limit", "$name"),
    "a.erl": ('-define(LIMIT, 30).\n-define(NAME, "web").\n', "LIMIT", "NAME"),
    "a.r": ('limit <- 30\nname <- "web"\n', "limit", "name"),
    "a.m": ('static const int limit = 30;\nstatic NSString *name = @"web";\n', "limit", "name"),
    "a.css": (':root { --limit: 30; --name: "web"; }\n', ":root.--limit", ":root.--name"),
}
"""A number 30 and a text "web" in languages that answer `equals` alone, and the paths of their names."""


def check_value(name: str, code: str, number: str, text: str) -> None:
    source = read_source(name, Text.of(code))
    if source.tree is None:
        pytest.skip(source.message)
    for path, literal, word in (
        (number, "30", "holds"),
        (number, "60", "fails"),
        (text, '"web"', "holds"),
        (text, "web", "holds"),
        (text, '"site"', "fails"),
    ):
        outcome = judge_check(parse_check(f"equals {name}#{path} {literal}"), lambda _: source)
        assert (outcome.word, literal) == (word, literal), outcome.detail


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str) -> None:
    check_value(name, *VALUES[name])
