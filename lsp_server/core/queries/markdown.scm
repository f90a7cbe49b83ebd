; Definitions of Markdown: its headings. The captures are described in core/definitions.py.

((section
  .
  (atx_heading
    heading_content: (_) @name) @head) @definition.section
  (#set! container "true"))

; What is underlined begins no section in this grammar, and so is the heading alone.
(setext_heading
  heading_content: (paragraph
    (inline) @name)) @definition.heading
