/* The node table (see table.py): one pass over the finished tree writes the rows and cuts the text into runs. */
#ifndef BROADSHEET_ROWS_H
#define BROADSHEET_ROWS_H

#include "tokenizer.h"

enum { CONTAINER = 1, DROPPED = 2, BREAK = 4, LINK = 8, TEMPLATE = 16 }; /* kinds of tags, as in table.py */
enum { HIDDEN = 1, HAS_PROPERTY = 2, HAS_REL = 4 };                      /* flags of rows, as in table.py */
enum { NO_CONTAINER = -2 };

/* The columns of `NodeTable`, with room for all rows; the counts are set when they are written. */
typedef struct {
    uint16_t *tag, *attribute_count, *attribute_name;
    int32_t *parent, *end, *text_start, *text_end, *first_attribute, *outer;
    int32_t *value_start, *value_end;
    int32_t *run_container, *run_end, *run_breaks, *run_rows;
    uint8_t *flags, *run_in_link;
    uint8_t *arena;
    uint32_t row_count, run_count, run_row_count, arena_length;
    int32_t *unsure; /* rows of texts that may not be in NFC */
    uint32_t unsure_count, unsure_capacity;
} Columns;

typedef struct {
    Parser *parser;
    Columns *columns;
    const uint8_t *kinds; /* of the tags with fixed numbers */
    int32_t max_depth, depth, above; /* above: the row that gets the nodes below the maximum depth */
    int32_t container, link, dropped; /* rows of the open container (innermost), link, and element without text */
    uint32_t run_start;
    int32_t breaks;
    Buffer scratch;
} Writer;

/* ---- Flags of an element, from its attributes */

static int has_token(const uint8_t *at, const uint8_t *end, const char *token, size_t length) {
    return (size_t)(end - at) == length && !memcmp(at, token, length);
}

/* Tell whether a class attribute has a class of text for screen readers only, by the usual style sheets. */
static int has_screen_reader_class(const uint8_t *at, const uint8_t *end) {
    while (end - at >= 7) {
        const uint8_t *start = at;
        while (at < end && !is_space(*at)) at++;
        if ((*start == 's' && (has_token(start, at, "sr-only", 7) || has_token(start, at, "screen-reader-text", 18))) ||
            (*start == 'v' &&
             (has_token(start, at, "visually-hidden", 15) || has_token(start, at, "visuallyhidden", 14))))
            return 1;
        at++;
    }
    return 0;
}

static const uint8_t *skip_word(const uint8_t *at, const uint8_t *end, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(end - at) < length || !equals_in_lower_case((const uint8_t *)word, at, length)) return NULL;
    return skip_python_spaces(at + length, end);
}

/* Tell whether the declaration `property: value` begins here. */
static int has_declaration(const uint8_t *at, const uint8_t *end, const char *property, const char *value) {
    at = skip_word(at, end, property);
    at = at ? skip_word(at, end, ":") : NULL;
    return at && skip_word(at, end, value) != NULL;
}

static int is_hidden_style(const uint8_t *at, const uint8_t *end) {
    while (at < end) {
        at = skip_python_spaces(at, end);
        if (has_declaration(at, end, "display", "none") || has_declaration(at, end, "visibility", "hidden")) return 1;
        at = at < end ? memchr(at, ';', (size_t)(end - at)) : NULL;
        if (!at) return 0;
        at++;
    }
    return 0;
}

/* Tell whether a value hides its element. References in it are decoded first. */
static int hides(Writer *writer, const Attribute *attribute) {
    int (*is_hiding)(const uint8_t *, const uint8_t *) =
        attribute->name == ATTRIBUTE_CLASS ? has_screen_reader_class : is_hidden_style;
    const uint8_t *start = writer->parser->source.bytes + attribute->start, *end = start + attribute->length;
    if (!attribute->has_references) return is_hiding(start, end);
    if (!RESERVE(writer->scratch.bytes, writer->scratch.capacity, decoded_size(attribute->length))) {
        writer->parser->has_no_memory = 1;
        return 0;
    }
    return is_hiding(writer->scratch.bytes, decode_references(start, end, writer->scratch.bytes, 1));
}

static uint8_t read_flags(Writer *writer, const Node *node) {
    const Attribute *attribute = writer->parser->attributes.items + node->start;
    uint8_t flags = 0;
    for (const Attribute *end = attribute + node->length; attribute < end; attribute++) {
        switch (attribute->name) {
            case ATTRIBUTE_CLASS: case ATTRIBUTE_STYLE:
                if (hides(writer, attribute)) flags |= HIDDEN;
                break;
            case ATTRIBUTE_HIDDEN: flags |= HIDDEN; break;
            case ATTRIBUTE_ITEMPROP: case ATTRIBUTE_ITEMSCOPE: flags |= HAS_PROPERTY; break;
            case ATTRIBUTE_PROPERTY:
                if (node->tag != TAG_META) flags |= HAS_PROPERTY;
        }
    }
    return flags;
}

static const Attribute *get_attribute(const Writer *writer, const Node *node, uint32_t name) {
    Token token = {0, 0, node->start, node->length};
    return find_attribute(writer->parser, &token, name);
}

static int has_value(const Writer *writer, const Node *node, uint32_t name) {
    const Attribute *attribute = get_attribute(writer, node, name);
    return attribute && attribute->length;
}

/* Tell data from code: code is long and is never read. */
static int is_code(Writer *writer, const Node *script) {
    const Attribute *type = get_attribute(writer, script, ATTRIBUTE_TYPE);
    if (script->tag != TAG_SCRIPT) return 0;
    if (!type) return 1;
    const uint8_t *at = writer->parser->source.bytes + type->start, *end = at + type->length;
    for (; end - at >= 4; at++)
        if (equals_in_lower_case((const uint8_t *)"json", at, 4)) return 0;
    return 1;
}

/* ---- Runs */

static void end_run(Writer *writer) {
    Columns *columns = writer->columns;
    if (columns->run_row_count == writer->run_start) return;
    columns->run_container[columns->run_count] = writer->container;
    columns->run_end[columns->run_count] = (int32_t)columns->run_row_count;
    columns->run_breaks[columns->run_count++] = writer->breaks;
    writer->run_start = columns->run_row_count;
    writer->breaks = 0;
}

static void add_to_run(Writer *writer, uint32_t row, int is_in_link) {
    Columns *columns = writer->columns;
    columns->run_rows[columns->run_row_count] = (int32_t)row;
    columns->run_in_link[columns->run_row_count++] = (uint8_t)is_in_link;
}

/* ---- Rows */

static uint32_t add_row(Writer *writer, const Node *node, int32_t parent) {
    Columns *columns = writer->columns;
    uint32_t row = columns->row_count++;
    if (writer->depth >= writer->max_depth) parent = writer->above;
    columns->tag[row] = node->tag;
    columns->parent[row] = parent;
    columns->end[row] = (int32_t)row + 1;
    columns->text_start[row] = columns->text_end[row] = 0;
    columns->first_attribute[row] = 0;
    columns->attribute_count[row] = 0;
    columns->flags[row] = 0;
    columns->outer[row] = NO_CONTAINER;
    return row;
}

static int is_blank(const Parser *parser, const Node *text) {
    const uint8_t *start = parser->source.bytes + text->start;
    if (skip_python_spaces(start, start + text->length) != start + text->length) return 0;
    for (int32_t piece = text->outer; piece >= 0; piece = parser->pieces[piece].next) {
        start = parser->source.bytes + parser->pieces[piece].start;
        const uint8_t *end = start + parser->pieces[piece].length;
        if (skip_python_spaces(start, end) != end) return 0;
    }
    return 1;
}

static void copy_text(Writer *writer, const Node *text, uint32_t row) {
    const Parser *parser = writer->parser;
    uint8_t *arena = writer->columns->arena;
    uint8_t *to = arena + writer->columns->arena_length;
    writer->columns->text_start[row] = (int32_t)(to - arena);
    to = copy_bytes(to, parser->source.bytes + text->start, text->length);
    for (int32_t piece = text->outer; piece >= 0; piece = parser->pieces[piece].next)
        to = copy_bytes(to, parser->source.bytes + parser->pieces[piece].start, parser->pieces[piece].length);
    writer->columns->text_end[row] = (int32_t)(to - arena);
    writer->columns->arena_length = (uint32_t)(to - arena);
}

static void note_unsure(Writer *writer, uint32_t row) {
    Columns *columns = writer->columns;
    const uint8_t *start = columns->arena + columns->text_start[row], *end = columns->arena + columns->text_end[row];
    if (!may_need_normalization(start, end)) return;
    if (RESERVE(columns->unsure, columns->unsure_capacity, columns->unsure_count + 1))
        columns->unsure[columns->unsure_count++] = (int32_t)row;
    else
        writer->parser->has_no_memory = 1;
}

static void write_text(Writer *writer, const Node *text, const Node *parent) {
    int has_no_text = writer->dropped >= 0 && is_code(writer, parent);
    int is_run_empty = writer->columns->run_row_count == writer->run_start;
    if (is_run_empty && !has_no_text && is_blank(writer->parser, text)) return;
    uint32_t row = add_row(writer, text, parent->position);
    if (has_no_text) return;
    copy_text(writer, text, row);
    if (writer->dropped >= 0) return;
    note_unsure(writer, row);
    add_to_run(writer, row, writer->link >= 0);
}

static void open_container(Writer *writer, uint32_t row) {
    end_run(writer);
    if (writer->depth < writer->max_depth) {
        writer->columns->outer[row] = writer->container;
        writer->container = (int32_t)row;
    } else if (writer->columns->flags[row] & HIDDEN) { /* no container carries the flag at this depth */
        writer->dropped = (int32_t)row;
    }
}

static void open_link(Writer *writer, const Node *node, uint32_t row) {
    if (writer->link < 0 && has_value(writer, node, ATTRIBUTE_HREF)) writer->link = (int32_t)row;
    if (has_value(writer, node, ATTRIBUTE_REL)) writer->columns->flags[row] |= HAS_REL;
}

/* Apply the kind of a visible element. */
static void open_visible(Writer *writer, const Node *node, uint32_t row, int kind) {
    if (kind & CONTAINER) {
        open_container(writer, row);
    } else if (kind & BREAK) {
        if (writer->columns->run_row_count == writer->run_start) return;
        add_to_run(writer, row, 0);
        writer->breaks++;
    } else if (kind & DROPPED) {
        int is_shown = kind & TEMPLATE && get_attribute(writer, node, ATTRIBUTE_SHADOWROOTMODE);
        if (!is_shown) writer->dropped = (int32_t)row;
    } else if (writer->columns->flags[row] & HIDDEN) {
        writer->dropped = (int32_t)row;
    } else if (kind & LINK) {
        open_link(writer, node, row);
    }
}

static int kind_of(const Writer *writer, const Node *node) {
    return node->tag < TAG_COUNT ? writer->kinds[node->tag] : 0;
}

static void write_element(Writer *writer, Node *node, int32_t parent) {
    Columns *columns = writer->columns;
    uint32_t row = add_row(writer, node, parent);
    node->position = (int32_t)row;
    if (writer->depth == writer->max_depth - 1) writer->above = (int32_t)row;
    if (node->length) {
        columns->first_attribute[row] = (int32_t)node->start;
        columns->attribute_count[row] = (uint16_t)node->length;
        columns->flags[row] = read_flags(writer, node);
    }
    int kind = kind_of(writer, node);
    if (writer->dropped < 0 && (kind || columns->flags[row])) open_visible(writer, node, row, kind);
}

static void close_element(Writer *writer, const Node *node) {
    int32_t row = node->position;
    if (writer->depth < writer->max_depth) writer->columns->end[row] = (int32_t)writer->columns->row_count;
    if (row == writer->container) {
        end_run(writer);
        writer->container = writer->columns->outer[row];
    } else if (row == writer->link) {
        writer->link = NONE;
    } else if (row == writer->dropped) {
        writer->dropped = NONE;
    } else if (writer->depth >= writer->max_depth && writer->dropped < 0 && kind_of(writer, node) & CONTAINER) {
        end_run(writer);
    }
}

static void write_attributes(Parser *parser, Columns *columns) {
    uint8_t *to = columns->arena;
    for (uint32_t i = 0; i < parser->attributes.count; i++) {
        const Attribute *attribute = &parser->attributes.items[i];
        columns->attribute_name[i] = attribute->name;
        columns->value_start[i] = (int32_t)(to - columns->arena);
        const uint8_t *value = parser->source.bytes + attribute->start;
        to = attribute->has_references ? decode_references(value, value + attribute->length, to, 1)
                                       : copy_bytes(to, value, attribute->length);
        columns->value_end[i] = (int32_t)(to - columns->arena);
    }
    columns->arena_length = (uint32_t)(to - columns->arena);
}

/* Write all columns. `unsure` must be freed. */
static void write_rows(Parser *parser, Columns *columns, const uint8_t *kinds, uint32_t max_rows, int32_t max_depth) {
    Writer writer = {parser, columns, kinds, max_depth, 0, NONE, NONE, NONE, NONE, 0, 0, {NULL, 0, 0}};
    write_attributes(parser, columns);
    int32_t index = NODE(0).first_child;
    NODE(0).position = NONE;
    while (index > 0) {
        Node *node = &NODE(index), *parent = &NODE(node->parent);
        int is_element = node->tag != TAG_TEXT && node->tag != COMMENT;
        if (is_element)
            write_element(&writer, node, parent->position);
        else if (node->tag == TAG_TEXT)
            write_text(&writer, node, parent);
        int is_full = columns->row_count >= max_rows || parser->has_no_memory;
        if (is_element && node->first_child >= 0 && !is_full) {
            writer.depth++;
            index = node->first_child;
            continue;
        }
        if (is_element) close_element(&writer, node);
        while (index > 0 && (is_full || NODE(index).next < 0)) {
            index = NODE(index).parent;
            if (index <= 0) break;
            writer.depth--;
            close_element(&writer, &NODE(index));
        }
        if (index > 0) index = NODE(index).next;
    }
    if (columns->row_count >= max_rows) parser->is_cut = 1;
    end_run(&writer);
    free(writer.scratch.bytes);
}
#endif
