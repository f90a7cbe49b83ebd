; Definitions of Dockerfiles. The captures are described in core/definitions.py.
; An instruction is found by its keyword, the second RUN as `RUN[2]`; what sets a name by both: `ENV.PATH`.

(from_instruction
  "FROM" @head
  as: (image_alias) @name) @definition.stage

(from_instruction
  "FROM" @name @head
  !as) @definition.stage

((arg_instruction
  name: (_) @name
  default: (_)? @body) @definition.variable
  (#set! owner "ARG"))

((env_pair
  name: (_) @name
  value: (_)? @body) @definition.variable
  (#set! owner "ENV")
  (#set! quoted "true"))

((label_pair
  key: (_) @name
  value: (_)? @body) @definition.label
  (#set! owner "LABEL")
  (#set! quoted "true"))

[
  (run_instruction
    "RUN" @name @head)
  (cmd_instruction
    "CMD" @name @head)
  (expose_instruction
    "EXPOSE" @name @head)
  (add_instruction
    "ADD" @name @head)
  (copy_instruction
    "COPY" @name @head)
  (entrypoint_instruction
    "ENTRYPOINT" @name @head)
  (volume_instruction
    "VOLUME" @name @head)
  (user_instruction
    "USER" @name @head)
  (workdir_instruction
    "WORKDIR" @name @head)
  (onbuild_instruction
    "ONBUILD" @name @head)
  (stopsignal_instruction
    "STOPSIGNAL" @name @head)
  (healthcheck_instruction
    "HEALTHCHECK" @name @head)
  (shell_instruction
    "SHELL" @name @head)
] @definition.instruction
