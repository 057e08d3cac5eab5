/* 13.2.5 Tokenization. Tags and texts are read from the source without a state for each character. */
#ifndef BROADSHEET_TOKENIZER_H
#define BROADSHEET_TOKENIZER_H

#include "construction.h"
#include "doctype.h"

#define BYTES (parser->source.bytes)

static void stop_parser(Parser *parser) {
    parser->is_cut = 1;
    parser->source_length = parser->at;
}

/* Make room for all nodes and entries that one token can make: tree construction cannot fail then. */
static int reserve_for_token(Parser *parser) {
    size_t copies = 2 * (size_t)parser->formatting_count + 64, open_count = parser->open_count + copies;
    if (parser->node_count + copies <= parser->node_capacity && open_count <= parser->open_capacity &&
        parser->formatting_count + 64u <= parser->formatting_capacity)
        return 1;
    return RESERVE(parser->nodes, parser->node_capacity, parser->node_count + copies) &&
           RESERVE(parser->formatting, parser->formatting_capacity, parser->formatting_count + 64) &&
           RESERVE(parser->scope_ends, parser->scope_capacity, open_count * 2) &&
           RESERVE(parser->barriers, parser->barrier_capacity, open_count * 2) &&
           RESERVE(parser->template_modes, parser->template_capacity, open_count * 2) &&
           RESERVE(parser->open, parser->open_capacity, open_count);
}

/* Return the position of a byte, or the end of the source. */
static uint32_t find_byte(const Parser *parser, uint32_t at, uint8_t byte) {
    if (at >= parser->source_length) return parser->source_length;
    const uint8_t *found = memchr(BYTES + at, byte, parser->source_length - at);
    return found ? (uint32_t)(found - BYTES) : parser->source_length;
}

static int has_text_at(const Parser *parser, uint32_t at, const char *text) {
    size_t length = strlen(text);
    return at + length <= parser->source_length && equals_in_lower_case((const uint8_t *)text, BYTES + at, length);
}

/* ---- Text */

/* Decode the references of a text to the end of the source's buffer. */
static int decode_text(Parser *parser, uint32_t *start, uint32_t *length) {
    size_t needed = parser->source.length + decoded_size(*length);
    if (needed > 2u * MAX_BYTES || !RESERVE(parser->source.bytes, parser->source.capacity, needed)) {
        parser->has_no_memory = 1;
        return 0;
    }
    uint8_t *to = BYTES + parser->source.length;
    uint8_t *end = decode_references(BYTES + *start, BYTES + *start + *length, to, 0);
    *start = parser->source.length;
    *length = (uint32_t)(end - to);
    parser->source.length += *length;
    return 1;
}

static void emit_text(Parser *parser, uint32_t start, uint32_t end, int has_references) {
    uint32_t length = end - start;
    if (!length || !reserve_for_token(parser)) {
        parser->has_no_memory |= length != 0;
        return;
    }
    if (has_references && memchr(BYTES + start, '&', length) && !decode_text(parser, &start, &length)) return;
    if (parser->ignore_line_feed && BYTES[start] == '\n') start++, length--;
    parser->ignore_line_feed = 0;
    if (parser->content_model == DATA || parser->content_model == PLAINTEXT)
        process_text(parser, start, length);
    else
        insert_text(parser, start, length);
}

/* Return the end of a text: the next "<" that begins a tag or a comment. */
static uint32_t find_text_end(const Parser *parser, uint32_t at) {
    for (;; at++) {
        at = find_byte(parser, at, '<');
        if (at + 1 >= parser->source_length) return parser->source_length;
        uint8_t next = BYTES[at + 1];
        if (is_letter(next) || next == '!' || next == '?') return at;
        if (next == '/') return at + 2 < parser->source_length ? at : parser->source_length;
    }
}

/* ---- Text of <script>, <style>, <title>, ... */

/* Tell whether a tag, as "</title", is here: its name must end. */
static int has_tag_at(const Parser *parser, uint32_t at, const char *prefix, const Name *name) {
    uint32_t start = at + (uint32_t)strlen(prefix), end = start + name->length;
    return end < parser->source_length && !IN_TAG_NAME[BYTES[end]] &&
           !memcmp(BYTES + at, prefix, strlen(prefix)) &&
           equals_in_lower_case(parser->tags.text.bytes + name->start, BYTES + start, name->length);
}

static uint32_t find_raw_text_end(const Parser *parser, uint32_t at, const Name *name) {
    do at = find_byte(parser, at, '<');
    while (at < parser->source_length && !has_tag_at(parser, at, "</", name) && ++at);
    return at;
}

/* Return the end of a comment in a script, after "-->"; 0 if the dashes here do not end it. */
static uint32_t skip_dashes(const Parser *parser, uint32_t *at) {
    uint32_t start = *at;
    while (*at < parser->source_length && BYTES[*at] == '-') ++*at;
    return *at - start >= 2 && *at < parser->source_length && BYTES[*at] == '>';
}

/* 13.2.5.15 to 13.2.5.31: a script may contain "<!-- <script> </script> -->". */
static uint32_t find_script_end(const Parser *parser, uint32_t at, const Name *name) {
    enum { PLAIN, ESCAPED, DOUBLE_ESCAPED } state = PLAIN;
    while (at < parser->source_length) {
        if (state == PLAIN) {
            at = find_byte(parser, at, '<');
            if (has_tag_at(parser, at, "</", name)) return at;
            if (has_text_at(parser, at, "<!--"))
                state = ESCAPED, at += 2; /* the two dashes may also be those of "-->" */
            else
                at++;
        } else if (BYTES[at] == '-') {
            if (skip_dashes(parser, &at)) state = PLAIN;
        } else if (BYTES[at] != '<') {
            at++;
        } else if (has_tag_at(parser, at, "</", name)) {
            if (state == ESCAPED) return at;
            state = ESCAPED, at++;
        } else {
            if (has_tag_at(parser, at, "<", name)) state = DOUBLE_ESCAPED;
            at++;
        }
    }
    return parser->source_length;
}

/* ---- Tags */

/* Return the end of a name; the source ends with 0, which ends names. `hash` is that of its lower case. */
static inline uint32_t find_name_end(const Parser *parser, uint32_t at, const uint8_t *in_name, uint32_t *hash) {
    const uint8_t *byte = BYTES + at;
    uint32_t sum = 0;
    for (uint8_t lower; (lower = in_name[*byte]) != 0; byte++) sum = add_to_hash(sum, lower);
    *hash = finish_hash(sum);
    return (uint32_t)(byte - BYTES);
}

/* Read the value after an attribute's name; return where it ends, the end of the source if the tag does not end. */
static uint32_t read_value(const Parser *parser, uint32_t at, Attribute *attribute) {
    uint32_t end = parser->source_length, next = at;
    while (next < end && is_space(BYTES[next])) next++;
    if (next >= end || BYTES[next] != '=') return next < end ? at : end;
    for (next++; next < end && is_space(BYTES[next]); next++) {}
    if (next >= end) return end;
    uint8_t quote = BYTES[next];
    if (quote == '"' || quote == '\'') {
        attribute->start = ++next;
        next = find_byte(parser, next, quote);
        attribute->length = next - attribute->start;
        return next < end ? next + 1 : end;
    }
    attribute->start = next;
    while (next < end && !is_space(BYTES[next]) && BYTES[next] != '>') next++;
    attribute->length = next - attribute->start;
    return next;
}

/* The bytes that a value may need in the table's arena. */
static size_t value_size(const Attribute *attribute) {
    return attribute->has_references ? decoded_size(attribute->length) : attribute->length;
}

static void add_attribute(Parser *parser, Token *token, Attribute attribute) {
    if (attribute.name == NO_NAME) {
        parser->is_cut = 1;
        parser->has_no_memory |= parser->attribute_names.count < MAX_NAMES;
        return;
    }
    Name *name = &parser->attribute_names.names[attribute.name];
    if (name->last_tag == parser->tag_count || token->attribute_count == UINT16_MAX) return; /* a duplicate */
    AttributeList *list = &parser->attributes;
    if (!RESERVE(list->items, list->capacity, list->count + 1)) {
        parser->has_no_memory = 1;
        return;
    }
    name->last_tag = parser->tag_count;
    attribute.has_references = attribute.length && memchr(BYTES + attribute.start, '&', attribute.length) != NULL;
    parser->value_bytes += value_size(&attribute);
    list->items[list->count++] = attribute;
    token->attribute_count++;
}

/* Read a tag from its name; return the position after ">", 0 if the source ends before. */
static uint32_t read_tag(Parser *parser, uint32_t at, Token *token, int is_start) {
    uint32_t hash, end = parser->source_length, name_end = find_name_end(parser, at, IN_TAG_NAME, &hash);
    Token read = {intern_name(&parser->tags, BYTES + at, name_end - at, hash), 0, parser->attributes.count, 0};
    parser->tag_count++;
    for (at = name_end;;) {
        for (; at < end && (is_space(BYTES[at]) || BYTES[at] == '/'); at++)
            read.is_self_closing = BYTES[at] == '/' && at + 1 < end && BYTES[at + 1] == '>';
        if (at >= end) return 0;
        if (BYTES[at] == '>') break;
        Attribute attribute = {0, 0, 0, 0};
        uint32_t start = at, is_equals_sign = BYTES[at] == '=';
        at = find_name_end(parser, at + is_equals_sign, IN_ATTRIBUTE_NAME, &hash);
        name_end = at;
        at = read_value(parser, at, &attribute);
        if (at >= end) return 0;
        if (!is_start) continue;
        if (is_equals_sign) hash ^= 1; /* any function of the name */
        attribute.name = intern_name(&parser->attribute_names, BYTES + start, name_end - start, hash);
        add_attribute(parser, &read, attribute);
    }
    *token = read;
    return at + 1;
}

/* Read the content of the element that was just opened as text, up to its end tag. */
static void read_raw_text(Parser *parser, uint32_t tag) {
    const Name *name = &parser->tags.names[tag];
    ContentModel model = parser->content_model;
    uint32_t start = parser->at, end = parser->source_length;
    if (model != PLAINTEXT)
        end = model == SCRIPT_DATA ? find_script_end(parser, start, name) : find_raw_text_end(parser, start, name);
    emit_text(parser, start, end, model == RCDATA);
    parser->content_model = DATA;
    parser->ignore_line_feed = 0;
    parser->at = end;
    if (model == PLAINTEXT) return;
    pop_open(parser);
    Token end_tag;
    if (end < parser->source_length && !(parser->at = read_tag(parser, end + 2, &end_tag, 0)))
        parser->at = parser->source_length;
}

static int has_tag_number(Parser *parser, const Token *token) {
    if (token->tag != NO_NAME) return 1;
    parser->has_no_memory |= parser->tags.count < MAX_NAMES;
    stop_parser(parser);
    return 0;
}

static void read_start_tag(Parser *parser) {
    Token token;
    uint32_t nodes = parser->node_count, end = read_tag(parser, parser->at + 1, &token, 1);
    parser->at = end ? end : parser->source_length;
    if (!end || parser->has_no_memory || !has_tag_number(parser, &token)) return;
    process_start_tag(parser, &token);
    if (parser->node_count == nodes) parser->attributes.count = token.first_attribute; /* the tag was ignored */
    if (parser->content_model != DATA) read_raw_text(parser, token.tag);
}

static void read_end_tag(Parser *parser) {
    Token token;
    uint32_t end = read_tag(parser, parser->at + 2, &token, 0);
    parser->at = end ? end : parser->source_length;
    if (end && has_tag_number(parser, &token)) process_end_tag(parser, token.tag);
}

/* ---- Comments, document types, CDATA sections */

/* Return the position after a comment, from after "<!--". */
static uint32_t find_comment_end(const Parser *parser, uint32_t at) {
    if (has_text_at(parser, at, ">")) return at + 1;
    if (has_text_at(parser, at, "->")) return at + 2;
    for (;;) {
        at = find_byte(parser, at, '-');
        if (at >= parser->source_length) return at;
        uint32_t dashes = at;
        while (at < parser->source_length && BYTES[at] == '-') at++;
        if (at - dashes < 2) continue;
        if (has_text_at(parser, at, ">")) return at + 1;
        if (has_text_at(parser, at, "!>")) return at + 2;
    }
}

static uint32_t after(const Parser *parser, uint32_t at) { return at < parser->source_length ? at + 1 : at; }

static void read_comment(Parser *parser, uint32_t end) {
    parser->at = end;
    parser->tag_count++;
    process_comment(parser);
}

static void read_cdata_section(Parser *parser, uint32_t start) {
    uint32_t end = find_byte(parser, start, ']');
    while (end < parser->source_length && !has_text_at(parser, end, "]]>")) end = find_byte(parser, end + 1, ']');
    emit_text(parser, start, end, 0);
    parser->at = end < parser->source_length ? end + 3 : end;
}

static void read_markup_declaration(Parser *parser) {
    uint32_t at = parser->at + 2;
    if (has_text_at(parser, at, "--")) {
        read_comment(parser, find_comment_end(parser, at + 2));
    } else if (has_text_at(parser, at, "doctype")) {
        int is_quirky;
        parser->at = (uint32_t)(read_doctype(BYTES + at + 7, BYTES + parser->source_length, &is_quirky) - BYTES);
        if (parser->mode != INITIAL) return;
        parser->is_quirky = (uint8_t)is_quirky;
        parser->mode = BEFORE_HTML;
    } else if (is_in_foreign_content(parser) && has_text_at(parser, at, "[cdata[") && BYTES[at + 1] == 'C') {
        read_cdata_section(parser, at + 7);
    } else {
        read_comment(parser, after(parser, find_byte(parser, at, '>')));
    }
}

/* ---- The parser's loop */

static void read_markup(Parser *parser) {
    uint8_t next = BYTES[parser->at + 1];
    parser->ignore_line_feed = 0;
    if (!reserve_for_token(parser)) {
        parser->has_no_memory = 1;
    } else if (is_letter(next)) {
        read_start_tag(parser);
    } else if (next == '!') {
        read_markup_declaration(parser);
    } else if (next == '/' && is_letter(BYTES[parser->at + 2])) {
        read_end_tag(parser);
    } else if (next == '/' && BYTES[parser->at + 2] == '>') {
        parser->at += 3;
    } else {
        read_comment(parser, after(parser, find_byte(parser, parser->at + 2, '>')));
    }
}

/* Read up to `bytes` more of the source; return whether there is more. */
static int parse_slice(Parser *parser, uint32_t bytes) {
    uint32_t slice_end = parser->source_length - parser->at > bytes ? parser->at + bytes : parser->source_length;
    while (parser->at < slice_end && parser->at < parser->source_length && !parser->has_no_memory) {
        uint32_t text_end = find_text_end(parser, parser->at);
        if (text_end > parser->at) {
            emit_text(parser, parser->at, text_end, 1);
            parser->at = text_end;
        } else if (parser->tag_count >= parser->max_tags || parser->node_count >= parser->max_nodes ||
                   parser->moved_entries > MAX_MOVED_ENTRIES) {
            stop_parser(parser);
        } else {
            read_markup(parser);
        }
    }
    return parser->at < parser->source_length && !parser->has_no_memory;
}

/* Append the attributes that were merged into <html> and <body>. */
static void append_merged_attributes(Parser *parser) {
    AttributeList *list = &parser->attributes;
    for (int32_t index = 1; index < (int32_t)parser->node_count; index++) {
        Node *node = &NODE(index);
        if (node->name_space != HTML || (node->tag != TAG_HTML && node->tag != TAG_BODY)) continue;
        AttributeList *merged = &parser->merged[node->tag == TAG_BODY];
        if (!merged->count) continue;
        if (!RESERVE(list->items, list->capacity, list->count + merged->count)) {
            parser->has_no_memory = 1;
            return;
        }
        memcpy(list->items + list->count, merged->items, merged->count * sizeof *merged->items);
        for (uint32_t i = 0; i < merged->count; i++) parser->value_bytes += value_size(&merged->items[i]);
        node->start = list->count;
        node->length = merged->count;
        list->count += merged->count;
        merged->count = 0;
    }
}

static void finish_parsing(Parser *parser) {
    if (!reserve_for_token(parser)) parser->has_no_memory = 1;
    if (parser->has_no_memory) return;
    process_end_of_file(parser);
    if (parser->merged[0].count || parser->merged[1].count) append_merged_attributes(parser);
}

static void free_parser(Parser *parser) {
    free(parser->source.bytes);
    free_names(&parser->tags);
    free_names(&parser->attribute_names);
    void *arrays[] = {parser->nodes, parser->pieces, parser->attributes.items, parser->merged[0].items,
                      parser->merged[1].items, parser->open, parser->scope_ends, parser->barriers,
                      parser->formatting, parser->template_modes};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
}

/* Prepare a parser for a page; return one of SOURCE_... */
static int start_parser(Parser *parser, const void *characters, int width, size_t count, uint32_t max_nodes) {
    memset(parser, 0, sizeof *parser);
    int result = read_source(&parser->source, characters, width, count);
    if (result != SOURCE_READ) return result;
    parser->source_length = parser->source.length - 1;
    parser->max_tags = max_nodes;
    parser->max_nodes = max_nodes < UINT32_MAX / 8 ? 4 * max_nodes + 1000 : UINT32_MAX / 2;
    parser->frameset_ok = 1;
    parser->head = parser->form = NONE;
    int has_memory = copy_names(&parser->tags, &FIXED_TAGS) &&
                     copy_names(&parser->attribute_names, &FIXED_ATTRIBUTES) &&
                     RESERVE(parser->nodes, parser->node_capacity, parser->source_length / 24 + 256) &&
                     RESERVE(parser->attributes.items, parser->attributes.capacity, parser->source_length / 32 + 64);
    if (!has_memory) return SOURCE_NO_MEMORY;
    new_node(parser, DOCUMENT);
    return SOURCE_READ;
}

static int prepare_tables(void) {
    prepare_bytes();
    prepare_entities();
    return prepare_names(&FIXED_TAGS, TAG_NAMES, TAG_COUNT) &&
           prepare_names(&FIXED_ATTRIBUTES, ATTRIBUTE_NAMES, ATTRIBUTE_COUNT);
}
#endif
