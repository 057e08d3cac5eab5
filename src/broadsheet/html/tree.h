/* The state of tree construction: nodes, the stack of open elements, the list of active formatting elements.

Elements are found on the stack without a search, however deep it is: an element knows its position, the next open
element of the same name below it is `outer`, and the elements that end a scope have stacks of their own. */
#ifndef BROADSHEET_TREE_H
#define BROADSHEET_TREE_H

#include "name_table.h"

enum { HTML, SVG, MATHML };                    /* name spaces */
enum { COMMENT = 0xFFFE, DOCUMENT = 0xFFFF };  /* tags of nodes that are no rows; 0 is the tag of a text */
enum { IS_OPEN = 1, IS_FORMATTING = 2, IS_HTML_INTEGRATION_POINT = 4 };
enum { NONE = -1, MARKER = -1 };
#define MAX_ACTIVE_FORMATTING 1000    /* entries after the last marker */
#define MAX_MOVED_ENTRIES 10000000    /* entries of the stack that the adoption agency algorithm may move */

typedef struct {
    int32_t parent, first_child, last_child, previous, next;
    int32_t outer;       /* open HTML element: the next one of the same name below it on the stack; text: more pieces */
    int32_t position;    /* open element: on the stack; text: its last piece; when rows are written: the row */
    uint16_t tag;
    uint8_t name_space, flags;
    uint32_t start, length; /* text: range of the source; element: first attribute and number of attributes */
} Node;

typedef struct {
    uint32_t start, length;
    int32_t next;
} Piece; /* of a text that is not one range of the source */

typedef struct {
    uint16_t name;
    uint8_t has_references;
    uint32_t start, length; /* range of the source */
} Attribute;

typedef struct {
    uint16_t tag;
    uint8_t is_self_closing;
    uint32_t first_attribute, attribute_count;
} Token; /* a start tag */

typedef enum {
    INITIAL, BEFORE_HTML, BEFORE_HEAD, IN_HEAD, IN_HEAD_NOSCRIPT, AFTER_HEAD, IN_BODY, IN_TABLE, IN_CAPTION,
    IN_COLUMN_GROUP, IN_TABLE_BODY, IN_ROW, IN_CELL, IN_TEMPLATE, AFTER_BODY, IN_FRAMESET, AFTER_FRAMESET,
    AFTER_AFTER_BODY, AFTER_AFTER_FRAMESET
} Mode;

typedef enum { DATA, RCDATA, RAWTEXT, SCRIPT_DATA, PLAINTEXT } ContentModel;

typedef struct {
    Attribute *items;
    uint32_t count, capacity;
} AttributeList;

typedef struct {
    Buffer source;          /* and decoded text behind it */
    uint32_t source_length, at;
    NameTable tags, attribute_names;
    Node *nodes;
    uint32_t node_count, node_capacity, max_nodes;
    Piece *pieces;
    uint32_t piece_count, piece_capacity;
    AttributeList attributes, merged[2]; /* merged: attributes of repeated <html> and <body> tags */
    int32_t *open, *scope_ends, *barriers; /* the stack of open elements; those that end a scope; see is_barrier */
    uint32_t open_count, open_capacity, scope_end_count, barrier_count, scope_capacity, barrier_capacity;
    int32_t *formatting;    /* the list of active formatting elements */
    uint32_t formatting_count, formatting_capacity;
    uint8_t *template_modes; /* the stack of template insertion modes */
    uint32_t template_count, template_capacity;
    uint32_t tag_count, max_tags, moved_entries;
    uint64_t text_bytes, value_bytes; /* of all texts and attribute values */
    int32_t head, form;     /* the element pointers */
    Mode mode;
    ContentModel content_model; /* of the element that was just opened */
    uint8_t foster_parenting, frameset_ok, is_quirky, ignore_line_feed, is_cut, has_no_memory;
} Parser;

#define NODE(index) (parser->nodes[index])

static inline uint32_t groups_of(uint32_t tag) { return tag < TAG_COUNT ? TAG_GROUPS[tag] : 0; }
static inline int32_t current_node(const Parser *parser) { return parser->open[parser->open_count - 1]; }
static inline int is_html(const Parser *parser, int32_t node, uint32_t tag) {
    return NODE(node).tag == tag && NODE(node).name_space == HTML;
}
static inline int is_current(const Parser *parser, uint32_t tag) { return is_html(parser, current_node(parser), tag); }
static inline int current_is_in(const Parser *parser, uint32_t groups) {
    const Node *node = &NODE(current_node(parser));
    return node->name_space == HTML && groups_of(node->tag) & groups;
}

/* ---- Nodes. Room for them is made before each token, so that making one cannot fail. */

static int32_t new_node(Parser *parser, uint32_t tag) {
    Node node = {NONE, NONE, NONE, NONE, NONE, NONE, NONE, (uint16_t)tag, HTML, 0, 0, 0};
    NODE(parser->node_count) = node;
    return (int32_t)parser->node_count++;
}

static void detach(Parser *parser, int32_t child) {
    Node *node = &NODE(child);
    if (node->parent < 0) return;
    *(node->previous >= 0 ? &NODE(node->previous).next : &NODE(node->parent).first_child) = node->next;
    *(node->next >= 0 ? &NODE(node->next).previous : &NODE(node->parent).last_child) = node->previous;
    node->parent = node->previous = node->next = NONE;
}

/* A place in the tree: before a child, or at the end of the parent if there is none. */
typedef struct {
    int32_t parent, before;
} Place;

static void insert_node(Parser *parser, Place place, int32_t child) {
    Node *node = &NODE(child);
    node->parent = place.parent;
    node->next = place.before;
    node->previous = place.before < 0 ? NODE(place.parent).last_child : NODE(place.before).previous;
    *(node->previous >= 0 ? &NODE(node->previous).next : &NODE(place.parent).first_child) = child;
    *(place.before >= 0 ? &NODE(place.before).previous : &NODE(place.parent).last_child) = child;
}

static void append_child(Parser *parser, int32_t parent, int32_t child) {
    Place place = {parent, NONE};
    insert_node(parser, place, child);
}

static void move_children(Parser *parser, int32_t from, int32_t to) {
    for (int32_t child = NODE(from).first_child, next; child >= 0; child = next) {
        next = NODE(child).next;
        detach(parser, child);
        append_child(parser, to, child);
    }
}

/* ---- 13.2.4.2 The stack of open elements */

/* The elements of other name spaces that are special and end scopes. */
static int is_special_foreign(const Node *node) {
    if (node->name_space == SVG) return groups_of(node->tag) & SVG_HTML;
    return groups_of(node->tag) & MATHML_TEXT || node->tag == TAG_ANNOTATION_XML;
}

/* Special elements except <address>, <div> and <p>: <li> and <dd> close no element below them. */
static int is_barrier(uint32_t tag) {
    return groups_of(tag) & SPECIAL && tag != TAG_ADDRESS && tag != TAG_DIV && tag != TAG_P;
}

static void push_open(Parser *parser, int32_t index) {
    Node *node = &NODE(index);
    Name *name = &parser->tags.names[node->tag];
    node->position = (int32_t)parser->open_count;
    node->flags |= IS_OPEN;
    parser->open[parser->open_count++] = index;
    int ends_scope, is_barrier_;
    if (node->name_space == HTML) {
        node->outer = name->last_open;
        name->last_open = index;
        ends_scope = (groups_of(node->tag) & ENDS_SCOPE) != 0;
        is_barrier_ = is_barrier(node->tag);
    } else {
        name->foreign_open++;
        ends_scope = is_barrier_ = is_special_foreign(node);
    }
    if (ends_scope) parser->scope_ends[parser->scope_end_count++] = index;
    if (is_barrier_) parser->barriers[parser->barrier_count++] = index;
}

/* Take an element out of the open elements of its name. */
static void forget_open(Parser *parser, int32_t index) {
    Node *node = &NODE(index);
    Name *name = &parser->tags.names[node->tag];
    node->flags &= (uint8_t)~IS_OPEN;
    if (node->name_space != HTML) {
        name->foreign_open--;
        return;
    }
    int32_t *entry = &name->last_open;
    while (*entry != index) entry = &NODE(*entry).outer;
    *entry = node->outer;
}

static void pop_open(Parser *parser) {
    int32_t index = parser->open[--parser->open_count];
    forget_open(parser, index);
    if (parser->scope_end_count && parser->scope_ends[parser->scope_end_count - 1] == index) parser->scope_end_count--;
    if (parser->barrier_count && parser->barriers[parser->barrier_count - 1] == index) parser->barrier_count--;
}

static void pop_to_position(Parser *parser, int32_t position) {
    while ((int32_t)parser->open_count > position && parser->open_count > 1) pop_open(parser);
}

static int32_t remove_from(int32_t *items, uint32_t *count, int32_t item) {
    for (int32_t i = (int32_t)*count - 1; i >= 0; i--) {
        if (items[i] != item) continue;
        memmove(items + i, items + i + 1, (*count - (uint32_t)i - 1) * sizeof *items);
        --*count;
        return i;
    }
    return NONE;
}

/* Remove an element from the middle of the stack. */
static void remove_open(Parser *parser, int32_t index) {
    const Node *node = &NODE(index);
    uint32_t position = (uint32_t)node->position;
    forget_open(parser, index);
    if (node->name_space == HTML ? is_barrier(node->tag) : is_special_foreign(node)) {
        remove_from(parser->scope_ends, &parser->scope_end_count, index);
        remove_from(parser->barriers, &parser->barrier_count, index);
    }
    parser->open_count--;
    for (uint32_t i = position; i < parser->open_count; i++) {
        parser->open[i] = parser->open[i + 1];
        NODE(parser->open[i]).position = (int32_t)i;
    }
    parser->moved_entries += parser->open_count - position;
}

/* Put an HTML element without a scope of its own at a position of the stack, in place of another or in a gap. */
static void set_open(Parser *parser, int32_t position, int32_t index) {
    int32_t *entry = &parser->tags.names[NODE(index).tag].last_open;
    while (*entry >= 0 && NODE(*entry).position > position) entry = &NODE(*entry).outer;
    NODE(index).outer = *entry;
    *entry = index;
    NODE(index).flags |= IS_OPEN;
    NODE(index).position = position;
    parser->open[position] = index;
}

/* Return the position of the innermost open HTML element of this name, -1 if none is open. */
static inline int32_t open_position(const Parser *parser, uint32_t tag) {
    int32_t last = parser->tags.names[tag].last_open;
    return last < 0 ? NONE : NODE(last).position;
}

static inline int is_open(const Parser *parser, uint32_t tag) { return parser->tags.names[tag].last_open >= 0; }
static inline int32_t max_position(int32_t a, int32_t b) { return a > b ? a : b; }

static int32_t scope_position(const Parser *parser) {
    return parser->scope_end_count ? NODE(parser->scope_ends[parser->scope_end_count - 1]).position : 0;
}
static int32_t barrier_position(const Parser *parser) {
    return parser->barrier_count ? NODE(parser->barriers[parser->barrier_count - 1]).position : 0;
}

/* "has an element in scope" and its variants */
static int has_in_scope(const Parser *parser, uint32_t tag) {
    return is_open(parser, tag) && open_position(parser, tag) >= scope_position(parser);
}
static int has_in_button_scope(const Parser *parser, uint32_t tag) {
    return has_in_scope(parser, tag) && open_position(parser, tag) >= open_position(parser, TAG_BUTTON);
}
static int has_in_list_item_scope(const Parser *parser, uint32_t tag) {
    int32_t list = max_position(open_position(parser, TAG_OL), open_position(parser, TAG_UL));
    return has_in_scope(parser, tag) && open_position(parser, tag) >= list;
}
static int has_in_table_scope(const Parser *parser, uint32_t tag) {
    int32_t table = max_position(open_position(parser, TAG_TABLE), open_position(parser, TAG_TEMPLATE));
    return is_open(parser, tag) && open_position(parser, tag) >= table;
}
static int has_node_in_scope(const Parser *parser, int32_t node) {
    return NODE(node).flags & IS_OPEN && NODE(node).position >= scope_position(parser);
}

/* 13.2.6.3 */
static void generate_implied_end_tags(Parser *parser, uint32_t except) {
    while (current_is_in(parser, IMPLIED_END) && NODE(current_node(parser)).tag != except) pop_open(parser);
}

/* Pop elements until one of this name was popped. */
static void pop_until(Parser *parser, uint32_t tag) {
    if (is_open(parser, tag)) pop_to_position(parser, open_position(parser, tag));
}

static void close_p(Parser *parser) {
    if (!has_in_button_scope(parser, TAG_P)) return;
    generate_implied_end_tags(parser, TAG_P);
    pop_until(parser, TAG_P);
}

/* ---- 13.2.6.1 Creating and inserting nodes */

/* "appropriate place for inserting a node" */
static Place find_place(const Parser *parser, int32_t target) {
    Place place = {target, NONE};
    const Node *node = &NODE(target);
    if (!parser->foster_parenting || node->name_space != HTML || !(groups_of(node->tag) & FOSTERS)) return place;
    int32_t table = open_position(parser, TAG_TABLE), template_ = open_position(parser, TAG_TEMPLATE);
    if (template_ > table) {
        place.parent = parser->open[template_];
    } else if (table <= 0) {
        place.parent = parser->open[0];
    } else if (NODE(parser->open[table]).parent >= 0) {
        place.before = parser->open[table];
        place.parent = NODE(place.before).parent;
    } else {
        place.parent = parser->open[table - 1];
    }
    return place;
}

static int32_t create_element(Parser *parser, const Token *token, int name_space) {
    int32_t index = new_node(parser, token->tag);
    NODE(index).start = token->first_attribute;
    NODE(index).length = token->attribute_count;
    NODE(index).name_space = (uint8_t)name_space;
    return index;
}

static int32_t insert_without_opening(Parser *parser, const Token *token, int name_space) {
    int32_t index = create_element(parser, token, name_space);
    insert_node(parser, find_place(parser, current_node(parser)), index);
    return index;
}

static int32_t insert_element(Parser *parser, const Token *token) {
    int32_t index = insert_without_opening(parser, token, HTML);
    push_open(parser, index);
    return index;
}

static int32_t insert_tag(Parser *parser, uint32_t tag) {
    Token token = {(uint16_t)tag, 0, 0, 0};
    return insert_element(parser, &token);
}

static void insert_comment(Parser *parser, int32_t parent) {
    Place place = {parent, NONE};
    if (parent < 0) place = find_place(parser, current_node(parser));
    insert_node(parser, place, new_node(parser, COMMENT));
}

static void add_piece(Parser *parser, Node *text, uint32_t start, uint32_t length) {
    if (!RESERVE(parser->pieces, parser->piece_capacity, parser->piece_count + 1)) {
        parser->has_no_memory = 1;
        return;
    }
    Piece piece = {start, length, NONE};
    int32_t index = (int32_t)parser->piece_count++;
    parser->pieces[index] = piece;
    *(text->outer < 0 ? &text->outer : &parser->pieces[text->position].next) = index;
    text->position = index;
}

/* "insert a character", for a range of the source */
static void insert_text(Parser *parser, uint32_t start, uint32_t length) {
    Place place = find_place(parser, current_node(parser));
    if (!length || NODE(place.parent).tag == DOCUMENT) return;
    int32_t before = place.before < 0 ? NODE(place.parent).last_child : NODE(place.before).previous;
    parser->text_bytes += length;
    if (before < 0 || NODE(before).tag != TAG_TEXT) {
        int32_t index = new_node(parser, TAG_TEXT);
        NODE(index).start = start;
        NODE(index).length = length;
        insert_node(parser, place, index);
        return;
    }
    Node *text = &NODE(before);
    if (text->outer < 0 && text->start + text->length == start)
        text->length += length;
    else
        add_piece(parser, text, start, length);
}

/* ---- 13.2.4.3 The list of active formatting elements */

static int has_equal_attributes(const Parser *parser, const Node *a, const Node *b) {
    if (a->length != b->length) return 0;
    for (uint32_t i = 0; a->start != b->start && i < a->length; i++) {
        const Attribute *left = &parser->attributes.items[a->start + i];
        uint32_t j = 0;
        for (; j < b->length; j++) {
            const Attribute *right = &parser->attributes.items[b->start + (i + j) % b->length];
            if (left->name != right->name) continue;
            if (left->length != right->length) return 0;
            if (memcmp(parser->source.bytes + left->start, parser->source.bytes + right->start, left->length)) return 0;
            break;
        }
        if (j == b->length) return 0;
    }
    return 1;
}

static void remove_formatting_at(Parser *parser, uint32_t position) {
    int32_t *entry = parser->formatting + position;
    if (*entry != MARKER) NODE(*entry).flags &= (uint8_t)~IS_FORMATTING;
    memmove(entry, entry + 1, (--parser->formatting_count - position) * sizeof *entry);
}

static int32_t find_formatting(const Parser *parser, int32_t node) {
    if (!(NODE(node).flags & IS_FORMATTING)) return NONE;
    int32_t position = (int32_t)parser->formatting_count - 1;
    while (position >= 0 && parser->formatting[position] != node) position--;
    return position;
}

static void remove_formatting(Parser *parser, int32_t node) {
    int32_t position = find_formatting(parser, node);
    if (position >= 0) remove_formatting_at(parser, (uint32_t)position);
}

/* Return the position of the last entry with this tag after the last marker. */
static int32_t find_formatting_tag(const Parser *parser, uint32_t tag) {
    for (int32_t i = (int32_t)parser->formatting_count - 1; i >= 0 && parser->formatting[i] != MARKER; i--)
        if (NODE(parser->formatting[i]).tag == tag) return i;
    return NONE;
}

static void insert_marker(Parser *parser) { parser->formatting[parser->formatting_count++] = MARKER; }

static void clear_formatting_to_marker(Parser *parser) {
    while (parser->formatting_count) {
        int32_t entry = parser->formatting[--parser->formatting_count];
        if (entry == MARKER) return;
        NODE(entry).flags &= (uint8_t)~IS_FORMATTING;
    }
}

/* "push onto the list of active formatting elements", with the Noah's Ark clause: at most three equal entries */
static void push_formatting(Parser *parser, int32_t index) {
    int32_t earliest = NONE, equal = 0, entries = 0;
    for (int32_t i = (int32_t)parser->formatting_count - 1; i >= 0 && parser->formatting[i] != MARKER; i--, entries++) {
        const Node *node = &NODE(parser->formatting[i]);
        if (node->tag != NODE(index).tag || !has_equal_attributes(parser, node, &NODE(index))) continue;
        equal++;
        earliest = i;
    }
    if (equal >= 3) remove_formatting_at(parser, (uint32_t)earliest);
    if (entries >= MAX_ACTIVE_FORMATTING) {
        parser->is_cut = 1;
        return;
    }
    NODE(index).flags |= IS_FORMATTING;
    parser->formatting[parser->formatting_count++] = index;
}

static int32_t clone_element(Parser *parser, int32_t index) {
    const Node *node = &NODE(index);
    Token token = {node->tag, 0, node->start, node->length};
    return create_element(parser, &token, HTML);
}

/* Put a copy in the place of an entry. */
static void replace_formatting(Parser *parser, uint32_t position, int32_t copy) {
    NODE(parser->formatting[position]).flags &= (uint8_t)~IS_FORMATTING;
    NODE(copy).flags |= IS_FORMATTING;
    parser->formatting[position] = copy;
}

static int is_closed_entry(const Parser *parser, uint32_t position) {
    int32_t entry = parser->formatting[position];
    return entry != MARKER && !(NODE(entry).flags & IS_OPEN);
}

static void reconstruct_formatting(Parser *parser) {
    uint32_t position = parser->formatting_count;
    while (position && is_closed_entry(parser, position - 1)) position--;
    for (; position < parser->formatting_count; position++) {
        int32_t copy = clone_element(parser, parser->formatting[position]);
        insert_node(parser, find_place(parser, current_node(parser)), copy);
        push_open(parser, copy);
        replace_formatting(parser, position, copy);
    }
}

/* ---- 13.2.6.4.7 The adoption agency algorithm */

static int is_special_node(const Parser *parser, int32_t index) {
    const Node *node = &NODE(index);
    return node->name_space == HTML ? (groups_of(node->tag) & SPECIAL) != 0 : is_special_foreign(node);
}

/* "any other end tag" of "in body" */
static void close_any_other(Parser *parser, uint32_t tag) {
    int32_t position = open_position(parser, tag), special = barrier_position(parser);
    if (position < 0) return;
    special = max_position(special, open_position(parser, TAG_ADDRESS));
    special = max_position(special, max_position(open_position(parser, TAG_DIV), open_position(parser, TAG_P)));
    if (special > position) return;
    generate_implied_end_tags(parser, tag);
    pop_to_position(parser, position);
}

static int32_t find_furthest_block(const Parser *parser, int32_t formatting_element) {
    for (uint32_t i = (uint32_t)NODE(formatting_element).position + 1; i < parser->open_count; i++)
        if (is_special_node(parser, parser->open[i])) return parser->open[i];
    return NONE;
}

/* Step 13: copy the formatting elements between the two, and nest them. Return the last node. */
static int32_t copy_formatting_between(Parser *parser, int32_t formatting_element, int32_t furthest_block,
                                       uint32_t *bookmark) {
    int32_t last_node = furthest_block;
    int32_t position = NODE(furthest_block).position - 1;
    for (int inner = 1; parser->open[position] != formatting_element; inner++, position--) {
        int32_t node = parser->open[position];
        int32_t entry = find_formatting(parser, node);
        if (inner > 3 && entry >= 0) {
            remove_formatting_at(parser, (uint32_t)entry);
            *bookmark -= (uint32_t)entry < *bookmark;
            entry = NONE;
        }
        if (entry < 0) {
            remove_open(parser, node);
            continue;
        }
        int32_t copy = clone_element(parser, node);
        replace_formatting(parser, (uint32_t)entry, copy);
        forget_open(parser, node);
        set_open(parser, position, copy);
        if (last_node == furthest_block) *bookmark = (uint32_t)entry + 1;
        detach(parser, last_node);
        append_child(parser, copy, last_node);
        last_node = copy;
    }
    return last_node;
}

/* Steps 18 and 19: the copy takes the place of the formatting element in the list, at the bookmark, and on the stack,
above the furthest block. Nothing above that block moves. */
static void replace_formatting_element(Parser *parser, int32_t formatting_element, int32_t furthest_block, int32_t copy,
                                       uint32_t bookmark) {
    uint32_t entry = (uint32_t)find_formatting(parser, formatting_element);
    remove_formatting_at(parser, entry);
    bookmark -= entry < bookmark;
    int32_t *place = parser->formatting + bookmark;
    memmove(place + 1, place, (parser->formatting_count++ - bookmark) * sizeof *place);
    *place = copy;
    NODE(copy).flags |= IS_FORMATTING;
    int32_t position = NODE(formatting_element).position, last = NODE(furthest_block).position;
    forget_open(parser, formatting_element);
    for (; position < last; position++) {
        parser->open[position] = parser->open[position + 1];
        NODE(parser->open[position]).position = position;
    }
    set_open(parser, last, copy);
}

/* One round of the outer loop; return whether there is another. */
static int adopt_once(Parser *parser, uint32_t tag) {
    int32_t entry = find_formatting_tag(parser, tag);
    if (entry < 0) return close_any_other(parser, tag), 0;
    int32_t formatting_element = parser->formatting[entry];
    if (!(NODE(formatting_element).flags & IS_OPEN)) return remove_formatting_at(parser, (uint32_t)entry), 0;
    if (!has_node_in_scope(parser, formatting_element)) return 0;
    int32_t furthest_block = find_furthest_block(parser, formatting_element);
    if (furthest_block < 0) {
        pop_to_position(parser, NODE(formatting_element).position);
        remove_formatting_at(parser, (uint32_t)entry);
        return 0;
    }
    int32_t common_ancestor = parser->open[NODE(formatting_element).position - 1];
    uint32_t bookmark = (uint32_t)entry;
    int32_t last_node = copy_formatting_between(parser, formatting_element, furthest_block, &bookmark);
    detach(parser, last_node);
    insert_node(parser, find_place(parser, common_ancestor), last_node);
    int32_t copy = clone_element(parser, formatting_element);
    move_children(parser, furthest_block, copy);
    append_child(parser, furthest_block, copy);
    replace_formatting_element(parser, formatting_element, furthest_block, copy, bookmark);
    return 1;
}

static void run_adoption_agency(Parser *parser, uint32_t tag) {
    int32_t current = current_node(parser);
    if (is_html(parser, current, tag) && !(NODE(current).flags & IS_FORMATTING)) {
        pop_open(parser);
        return;
    }
    for (int round = 0; round < 8 && adopt_once(parser, tag); round++) {}
}
#endif
