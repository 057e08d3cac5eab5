/* 13.2.6 Tree construction: the rules for each kind of token in each insertion mode.

The rules return whether the token is used up; otherwise it is reprocessed in the mode that they set. */
#ifndef BROADSHEET_CONSTRUCTION_H
#define BROADSHEET_CONSTRUCTION_H

#include "tree.h"

enum { REPROCESS, DONE };

static int start_tag_in_body(Parser *parser, Token *token);
static int end_tag_in_body(Parser *parser, uint32_t tag);

static int use_mode(Parser *parser, Mode mode, int result) {
    parser->mode = mode;
    return result;
}

static int pop_and_reprocess(Parser *parser, Mode mode) {
    pop_open(parser);
    return use_mode(parser, mode, REPROCESS);
}

/* ---- Attributes */

static const Attribute *find_attribute(const Parser *parser, const Token *token, uint32_t name) {
    for (uint32_t i = 0; i < token->attribute_count; i++) {
        const Attribute *attribute = &parser->attributes.items[token->first_attribute + i];
        if (attribute->name == name) return attribute;
    }
    return NULL;
}

static int value_is(const Parser *parser, const Attribute *attribute, const char *value) {
    size_t length = strlen(value);
    return attribute->length == length &&
           equals_in_lower_case((const uint8_t *)value, parser->source.bytes + attribute->start, length);
}

static int is_hidden_input(const Parser *parser, const Token *token) {
    const Attribute *type = find_attribute(parser, token, ATTRIBUTE_TYPE);
    return type && value_is(parser, type, "hidden");
}

static int name_is(const Parser *parser, uint16_t number, const char *value) {
    const Name *name = &parser->attribute_names.names[number];
    return name->length == strlen(value) &&
           !memcmp(parser->attribute_names.text.bytes + name->start, value, name->length);
}

/* Add the attributes of a repeated <html> or <body> tag that the element does not have. */
static void merge_attributes(Parser *parser, const Token *token, int32_t element, int which) {
    AttributeList *merged = &parser->merged[which];
    const Attribute *own = parser->attributes.items + NODE(element).start;
    Name *names = parser->attribute_names.names;
    if (!RESERVE(merged->items, merged->capacity, merged->count + NODE(element).length + token->attribute_count)) {
        parser->has_no_memory = 1;
        return;
    }
    if (token->attribute_count && !merged->count) {
        for (uint32_t i = 0; i < NODE(element).length; i++) {
            names[own[i].name].merged_into |= (uint16_t)(1 << which);
            merged->items[merged->count++] = own[i];
        }
    }
    for (uint32_t i = 0; i < token->attribute_count; i++) {
        const Attribute *attribute = &parser->attributes.items[token->first_attribute + i];
        if (names[attribute->name].merged_into & 1 << which || merged->count >= UINT16_MAX) continue;
        names[attribute->name].merged_into |= (uint16_t)(1 << which);
        merged->items[merged->count++] = *attribute;
    }
}

/* Return the name of an attribute in an element of SVG or MathML: some have capitals there. */
static uint16_t adjust_name(Parser *parser, uint16_t number, int name_space) {
    NameTable *table = &parser->attribute_names;
    if (name_space == MATHML) {
        uint16_t url = name_is(parser, number, "definitionurl") ? intern_as_is(table, "definitionURL") : number;
        return url == NO_NAME ? number : url;
    }
    if (table->names[number].svg_name != NO_NAME) return table->names[number].svg_name;
    const Name *name = &table->names[number];
    uint16_t adjusted = number;
    for (size_t i = 0; i < sizeof SVG_ATTRIBUTES / sizeof *SVG_ATTRIBUTES && adjusted == number; i++) {
        const uint8_t *svg_name = (const uint8_t *)SVG_ATTRIBUTES[i];
        if (name->length == strlen(SVG_ATTRIBUTES[i]) &&
            equals_in_lower_case(table->text.bytes + name->start, svg_name, name->length))
            adjusted = intern_as_is(table, SVG_ATTRIBUTES[i]);
    }
    if (adjusted == NO_NAME) return number;
    return table->names[number].svg_name = adjusted;
}

static int32_t insert_foreign_element(Parser *parser, const Token *token, int name_space) {
    for (uint32_t i = 0; i < token->attribute_count; i++) {
        Attribute *attribute = &parser->attributes.items[token->first_attribute + i];
        attribute->name = adjust_name(parser, attribute->name, name_space);
    }
    int32_t index = insert_without_opening(parser, token, name_space);
    if (!token->is_self_closing) push_open(parser, index);
    return index;
}

/* ---- Steps that several modes share */

static int insert_void(Parser *parser, const Token *token) {
    insert_without_opening(parser, token, HTML);
    return DONE;
}

/* Insert an element whose content the tokenizer reads as text. */
static int insert_with_text(Parser *parser, const Token *token, ContentModel content_model) {
    insert_element(parser, token);
    parser->content_model = content_model;
    return DONE;
}

static void insert_root(Parser *parser, const Token *token) {
    int32_t html = create_element(parser, token, HTML);
    append_child(parser, 0, html);
    push_open(parser, html);
    parser->mode = BEFORE_HEAD;
}

static int insert_head(Parser *parser, const Token *token, int result) {
    parser->head = insert_element(parser, token);
    return use_mode(parser, IN_HEAD, result);
}

/* Do what "anything else" does before the body: make the elements that the page left out, one at a time. */
static int insert_implied(Parser *parser) {
    static const Token html = {TAG_HTML, 0, 0, 0}, head = {TAG_HEAD, 0, 0, 0};
    switch (parser->mode) {
        case INITIAL: parser->is_quirky = 1; return use_mode(parser, BEFORE_HTML, REPROCESS);
        case BEFORE_HTML: insert_root(parser, &html); return REPROCESS;
        case BEFORE_HEAD: return insert_head(parser, &head, REPROCESS);
        case IN_HEAD: return pop_and_reprocess(parser, AFTER_HEAD);
        case IN_HEAD_NOSCRIPT: return pop_and_reprocess(parser, IN_HEAD);
        default: insert_tag(parser, TAG_BODY); return use_mode(parser, IN_BODY, REPROCESS);
    }
}

/* 13.2.4.1 "reset the insertion mode appropriately" */
static void reset_insertion_mode(Parser *parser) {
    static const struct {
        uint16_t tag;
        uint8_t mode;
    } MODES[] = {{TAG_HTML, AFTER_HEAD},       {TAG_HEAD, IN_HEAD},          {TAG_BODY, IN_BODY},
                 {TAG_FRAMESET, IN_FRAMESET},  {TAG_TEMPLATE, IN_TEMPLATE},  {TAG_TABLE, IN_TABLE},
                 {TAG_CAPTION, IN_CAPTION},    {TAG_COLGROUP, IN_COLUMN_GROUP}, {TAG_TBODY, IN_TABLE_BODY},
                 {TAG_THEAD, IN_TABLE_BODY},   {TAG_TFOOT, IN_TABLE_BODY},   {TAG_TR, IN_ROW},
                 {TAG_TD, IN_CELL},            {TAG_TH, IN_CELL}};
    int32_t innermost = NONE;
    for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++) {
        int32_t position = open_position(parser, MODES[i].tag);
        if (position <= innermost) continue;
        innermost = position;
        parser->mode = (Mode)MODES[i].mode;
    }
    if (parser->mode == IN_TEMPLATE && parser->template_count)
        parser->mode = (Mode)parser->template_modes[parser->template_count - 1];
    else if (parser->mode == AFTER_HEAD && parser->head < 0)
        parser->mode = BEFORE_HEAD;
}

static int start_template(Parser *parser, const Token *token) {
    insert_element(parser, token);
    insert_marker(parser);
    parser->frameset_ok = 0;
    parser->template_modes[parser->template_count++] = IN_TEMPLATE;
    return use_mode(parser, IN_TEMPLATE, DONE);
}

static void close_template(Parser *parser) {
    pop_until(parser, TAG_TEMPLATE);
    clear_formatting_to_marker(parser);
    if (parser->template_count) parser->template_count--;
    reset_insertion_mode(parser);
}

static int end_template(Parser *parser) {
    if (!is_open(parser, TAG_TEMPLATE)) return DONE;
    while (current_is_in(parser, THOROUGHLY_IMPLIED_END)) pop_open(parser);
    close_template(parser);
    return DONE;
}

/* The start tags of IN_HEAD_TAG */
static int start_tag_for_head(Parser *parser, const Token *token) {
    switch (token->tag) {
        case TAG_TITLE: return insert_with_text(parser, token, RCDATA);
        case TAG_NOFRAMES: case TAG_STYLE: return insert_with_text(parser, token, RAWTEXT);
        case TAG_SCRIPT: return insert_with_text(parser, token, SCRIPT_DATA);
        case TAG_TEMPLATE: return start_template(parser, token);
        default: return insert_void(parser, token);
    }
}

/* ---- 13.2.6.4.1 to 13.2.6.4.6: before the body */

static int start_tag_before_body(Parser *parser, Token *token) {
    uint32_t tag = token->tag, is_for_head = groups_of(tag) & IN_HEAD_TAG;
    if (parser->mode == INITIAL) return insert_implied(parser);
    if (tag == TAG_HTML && parser->mode != BEFORE_HTML) return start_tag_in_body(parser, token);
    switch (parser->mode) {
        case BEFORE_HTML:
            if (tag == TAG_HTML) return insert_root(parser, token), DONE;
            break;
        case BEFORE_HEAD:
            if (tag == TAG_HEAD) return insert_head(parser, token, DONE);
            break;
        case IN_HEAD:
            if (is_for_head) return start_tag_for_head(parser, token);
            if (tag == TAG_HEAD) return DONE;
            if (tag == TAG_NOSCRIPT) return insert_element(parser, token), use_mode(parser, IN_HEAD_NOSCRIPT, DONE);
            break;
        case IN_HEAD_NOSCRIPT:
            if (tag == TAG_BASE || tag == TAG_SCRIPT || tag == TAG_TEMPLATE || tag == TAG_TITLE) break;
            if (is_for_head) return start_tag_for_head(parser, token);
            if (tag == TAG_HEAD || tag == TAG_NOSCRIPT) return DONE;
            break;
        default: /* AFTER_HEAD */
            if (tag == TAG_BODY) {
                insert_element(parser, token);
                parser->frameset_ok = 0;
                return use_mode(parser, IN_BODY, DONE);
            }
            if (tag == TAG_FRAMESET) return insert_element(parser, token), use_mode(parser, IN_FRAMESET, DONE);
            if (tag == TAG_HEAD) return DONE;
            if (is_for_head) {
                push_open(parser, parser->head);
                start_tag_for_head(parser, token);
                remove_open(parser, parser->head);
                return DONE;
            }
    }
    return insert_implied(parser);
}

static int end_tag_before_body(Parser *parser, uint32_t tag) {
    int is_br = tag == TAG_BR, ends_page = is_br || tag == TAG_BODY || tag == TAG_HTML;
    switch (parser->mode) {
        case INITIAL: break;
        case BEFORE_HTML: case BEFORE_HEAD:
            if (tag != TAG_HEAD && !ends_page) return DONE;
            break;
        case IN_HEAD:
            if (tag == TAG_HEAD) return pop_open(parser), use_mode(parser, AFTER_HEAD, DONE);
            if (tag == TAG_TEMPLATE) return end_template(parser);
            if (!ends_page) return DONE;
            break;
        case IN_HEAD_NOSCRIPT:
            if (tag == TAG_NOSCRIPT) return pop_open(parser), use_mode(parser, IN_HEAD, DONE);
            if (!is_br) return DONE;
            break;
        default: /* AFTER_HEAD */
            if (tag == TAG_TEMPLATE) return end_template(parser);
            if (!ends_page) return DONE;
    }
    return insert_implied(parser);
}

/* ---- 13.2.6.4.7 "in body": start tags */

/* Close an open element of one of these names if no special element is above it: for <li>, <dd> and <dt>. */
static void close_item(Parser *parser, uint32_t tag, uint32_t other_tag) {
    parser->frameset_ok = 0;
    int32_t position = open_position(parser, tag), other = open_position(parser, other_tag);
    if (other > position) position = other, tag = other_tag;
    if (position < 0 || position < barrier_position(parser)) return;
    generate_implied_end_tags(parser, tag);
    pop_to_position(parser, position);
}

static int insert_formatting(Parser *parser, const Token *token) {
    reconstruct_formatting(parser);
    push_formatting(parser, insert_element(parser, token));
    return DONE;
}

static int start_a(Parser *parser, const Token *token) {
    int32_t position = find_formatting_tag(parser, TAG_A);
    if (position >= 0) {
        int32_t node = parser->formatting[position];
        run_adoption_agency(parser, TAG_A);
        remove_formatting(parser, node);
        if (NODE(node).flags & IS_OPEN) remove_open(parser, node);
    }
    return insert_formatting(parser, token);
}

static int start_nobr(Parser *parser, const Token *token) {
    reconstruct_formatting(parser);
    if (has_in_scope(parser, TAG_NOBR)) run_adoption_agency(parser, TAG_NOBR);
    return insert_formatting(parser, token);
}

static int start_body_again(Parser *parser, const Token *token) {
    int32_t body = parser->open_count > 1 ? parser->open[1] : 0;
    if (!is_html(parser, body, TAG_BODY) || is_open(parser, TAG_TEMPLATE)) return DONE;
    parser->frameset_ok = 0;
    merge_attributes(parser, token, body, 1);
    return DONE;
}

static int start_frameset_in_body(Parser *parser, const Token *token) {
    int32_t body = parser->open_count > 1 ? parser->open[1] : 0;
    if (!is_html(parser, body, TAG_BODY) || !parser->frameset_ok) return DONE;
    detach(parser, body);
    pop_to_position(parser, 1);
    insert_element(parser, token);
    return use_mode(parser, IN_FRAMESET, DONE);
}

static int start_form(Parser *parser, const Token *token) {
    int is_in_template = is_open(parser, TAG_TEMPLATE);
    if (parser->form >= 0 && !is_in_template) return DONE;
    close_p(parser);
    int32_t form = insert_element(parser, token);
    if (!is_in_template) parser->form = form;
    return DONE;
}

/* <option> and <optgroup>: `except` is the element that a new one does not close inside a <select>. */
static void close_option(Parser *parser, uint32_t except) {
    if (has_in_scope(parser, TAG_SELECT))
        generate_implied_end_tags(parser, except);
    else if (is_current(parser, TAG_OPTION))
        pop_open(parser);
}

static int start_select(Parser *parser, const Token *token) {
    if (has_in_scope(parser, TAG_SELECT)) return pop_until(parser, TAG_SELECT), DONE;
    reconstruct_formatting(parser);
    insert_element(parser, token);
    parser->frameset_ok = 0;
    return DONE;
}

static int start_input(Parser *parser, const Token *token) {
    if (has_in_scope(parser, TAG_SELECT)) pop_until(parser, TAG_SELECT);
    reconstruct_formatting(parser);
    if (!is_hidden_input(parser, token)) parser->frameset_ok = 0;
    return insert_void(parser, token);
}

static int start_hr(Parser *parser, const Token *token) {
    close_p(parser);
    if (has_in_scope(parser, TAG_SELECT)) generate_implied_end_tags(parser, TAG_COUNT);
    parser->frameset_ok = 0;
    return insert_void(parser, token);
}

static int start_table(Parser *parser, const Token *token) {
    if (!parser->is_quirky) close_p(parser);
    insert_element(parser, token);
    parser->frameset_ok = 0;
    return use_mode(parser, IN_TABLE, DONE);
}

static int start_button(Parser *parser, const Token *token) {
    if (has_in_scope(parser, TAG_BUTTON)) {
        generate_implied_end_tags(parser, TAG_COUNT);
        pop_until(parser, TAG_BUTTON);
    }
    reconstruct_formatting(parser);
    insert_element(parser, token);
    parser->frameset_ok = 0;
    return DONE;
}

static int insert_block(Parser *parser, const Token *token) {
    close_p(parser);
    insert_element(parser, token);
    return DONE;
}

static int insert_in_text(Parser *parser, const Token *token) {
    reconstruct_formatting(parser);
    insert_element(parser, token);
    return DONE;
}

/* The start tags that have a rule of their own. */
static int start_other_tag_in_body(Parser *parser, Token *token) {
    switch (token->tag) {
        case TAG_A: return start_a(parser, token);
        case TAG_LI: close_item(parser, TAG_LI, TAG_LI); return insert_block(parser, token);
        case TAG_DD: case TAG_DT: close_item(parser, TAG_DD, TAG_DT); return insert_block(parser, token);
        case TAG_HTML:
            if (!is_open(parser, TAG_TEMPLATE)) merge_attributes(parser, token, parser->open[0], 0);
            return DONE;
        case TAG_BODY: return start_body_again(parser, token);
        case TAG_FRAMESET: return start_frameset_in_body(parser, token);
        case TAG_PRE: case TAG_LISTING:
            parser->ignore_line_feed = 1;
            parser->frameset_ok = 0;
            return insert_block(parser, token);
        case TAG_FORM: return start_form(parser, token);
        case TAG_PLAINTEXT: close_p(parser); return insert_with_text(parser, token, PLAINTEXT);
        case TAG_BUTTON: return start_button(parser, token);
        case TAG_NOBR: return start_nobr(parser, token);
        case TAG_APPLET: case TAG_MARQUEE: case TAG_OBJECT:
            insert_in_text(parser, token);
            insert_marker(parser);
            parser->frameset_ok = 0;
            return DONE;
        case TAG_TABLE: return start_table(parser, token);
        case TAG_INPUT: return start_input(parser, token);
        case TAG_PARAM: case TAG_SOURCE: case TAG_TRACK: return insert_void(parser, token);
        case TAG_HR: return start_hr(parser, token);
        case TAG_IMAGE: token->tag = TAG_IMG; return start_tag_in_body(parser, token);
        case TAG_TEXTAREA:
            parser->ignore_line_feed = 1;
            parser->frameset_ok = 0;
            return insert_with_text(parser, token, RCDATA);
        case TAG_XMP:
            close_p(parser);
            reconstruct_formatting(parser);
            parser->frameset_ok = 0;
            return insert_with_text(parser, token, RAWTEXT);
        case TAG_IFRAME: parser->frameset_ok = 0; return insert_with_text(parser, token, RAWTEXT);
        case TAG_NOEMBED: return insert_with_text(parser, token, RAWTEXT);
        case TAG_SELECT: return start_select(parser, token);
        case TAG_OPTION: close_option(parser, TAG_OPTGROUP); return insert_in_text(parser, token);
        case TAG_OPTGROUP: close_option(parser, TAG_COUNT); return insert_in_text(parser, token);
        case TAG_RB: case TAG_RTC: case TAG_RP: case TAG_RT:
            if (has_in_scope(parser, TAG_RUBY))
                generate_implied_end_tags(parser, token->tag == TAG_RP || token->tag == TAG_RT ? TAG_RTC : TAG_COUNT);
            return insert_element(parser, token), DONE;
        case TAG_MATH: case TAG_SVG:
            reconstruct_formatting(parser);
            return insert_foreign_element(parser, token, token->tag == TAG_SVG ? SVG : MATHML), DONE;
        default: return insert_in_text(parser, token);
    }
}

static int start_tag_in_body(Parser *parser, Token *token) {
    uint32_t groups = groups_of(token->tag);
    if (groups & BLOCK_START) return insert_block(parser, token);
    if (groups & FORMATTING) return insert_formatting(parser, token);
    if (groups & VOID_IN_TEXT) {
        reconstruct_formatting(parser);
        parser->frameset_ok = 0;
        return insert_void(parser, token);
    }
    if (groups & IN_HEAD_TAG) return start_tag_for_head(parser, token);
    if (groups & HEADING) {
        close_p(parser);
        if (current_is_in(parser, HEADING)) pop_open(parser);
        return insert_element(parser, token), DONE;
    }
    if (groups & IGNORED_IN_BODY) return DONE;
    return start_other_tag_in_body(parser, token);
}

/* ---- 13.2.6.4.7 "in body": end tags */

static void close_in_scope(Parser *parser, uint32_t tag, uint32_t except) {
    generate_implied_end_tags(parser, except);
    pop_until(parser, tag);
}

static int end_heading(Parser *parser) {
    int32_t position = NONE;
    for (uint32_t tag = TAG_H1; tag <= TAG_H6; tag++) position = max_position(position, open_position(parser, tag));
    if (position < 0 || position < scope_position(parser)) return DONE;
    generate_implied_end_tags(parser, TAG_COUNT);
    pop_to_position(parser, position);
    return DONE;
}

static int end_form(Parser *parser) {
    if (is_open(parser, TAG_TEMPLATE)) {
        if (has_in_scope(parser, TAG_FORM)) close_in_scope(parser, TAG_FORM, TAG_COUNT);
        return DONE;
    }
    int32_t form = parser->form;
    parser->form = NONE;
    if (form < 0 || !has_node_in_scope(parser, form)) return DONE;
    generate_implied_end_tags(parser, TAG_COUNT);
    remove_open(parser, form);
    return DONE;
}

static int end_tag_in_body(Parser *parser, uint32_t tag) {
    uint32_t groups = groups_of(tag);
    Token br = {TAG_BR, 0, 0, 0};
    if (groups & FORMATTING_END) return run_adoption_agency(parser, tag), DONE;
    if (groups & BLOCK_END) {
        if (has_in_scope(parser, tag)) close_in_scope(parser, tag, TAG_COUNT);
        return DONE;
    }
    if (groups & HEADING) return end_heading(parser);
    switch (tag) {
        case TAG_P:
            if (!has_in_button_scope(parser, TAG_P)) insert_tag(parser, TAG_P);
            close_p(parser);
            return DONE;
        case TAG_LI:
            if (has_in_list_item_scope(parser, TAG_LI)) close_in_scope(parser, TAG_LI, TAG_LI);
            return DONE;
        case TAG_DD: case TAG_DT:
            if (has_in_scope(parser, tag)) close_in_scope(parser, tag, tag);
            return DONE;
        case TAG_TEMPLATE: return end_template(parser);
        case TAG_BODY: case TAG_HTML:
            if (!has_in_scope(parser, TAG_BODY)) return DONE;
            return use_mode(parser, AFTER_BODY, tag == TAG_HTML ? REPROCESS : DONE);
        case TAG_FORM: return end_form(parser);
        case TAG_APPLET: case TAG_MARQUEE: case TAG_OBJECT:
            if (!has_in_scope(parser, tag)) return DONE;
            close_in_scope(parser, tag, TAG_COUNT);
            clear_formatting_to_marker(parser);
            return DONE;
        case TAG_BR: return start_tag_in_body(parser, &br);
        default: return close_any_other(parser, tag), DONE;
    }
}

/* ---- 13.2.6.4.9 to 13.2.6.4.15: tables */

/* "clear the stack back to a table context", "... table body context" and "... table row context" */
static void clear_stack_to(Parser *parser, uint32_t tag_a, uint32_t tag_b, uint32_t tag_c) {
    while (parser->open_count > 1 && !is_current(parser, tag_a) && !is_current(parser, tag_b) &&
           !is_current(parser, tag_c) && !is_current(parser, TAG_TEMPLATE))
        pop_open(parser);
}
static void clear_to_table(Parser *parser) { clear_stack_to(parser, TAG_TABLE, TAG_TABLE, TAG_TABLE); }
static void clear_to_table_body(Parser *parser) { clear_stack_to(parser, TAG_TBODY, TAG_TFOOT, TAG_THEAD); }
static void clear_to_row(Parser *parser) { clear_stack_to(parser, TAG_TR, TAG_TR, TAG_TR); }

static int insert_in_table(Parser *parser, const Token *token, Mode mode) {
    clear_to_table(parser);
    if (mode == IN_CAPTION) insert_marker(parser);
    insert_element(parser, token);
    return use_mode(parser, mode, DONE);
}

/* Insert an element that the page left out in a table. */
static int imply_in_table(Parser *parser, uint32_t tag, Mode mode) {
    insert_tag(parser, tag);
    return use_mode(parser, mode, REPROCESS);
}

static int start_tag_in_table(Parser *parser, Token *token) {
    switch (token->tag) {
        case TAG_CAPTION: return insert_in_table(parser, token, IN_CAPTION);
        case TAG_COLGROUP: return insert_in_table(parser, token, IN_COLUMN_GROUP);
        case TAG_TBODY: case TAG_TFOOT: case TAG_THEAD: return insert_in_table(parser, token, IN_TABLE_BODY);
        case TAG_COL: clear_to_table(parser); return imply_in_table(parser, TAG_COLGROUP, IN_COLUMN_GROUP);
        case TAG_TD: case TAG_TH: case TAG_TR:
            clear_to_table(parser);
            return imply_in_table(parser, TAG_TBODY, IN_TABLE_BODY);
        case TAG_TABLE:
            if (!has_in_table_scope(parser, TAG_TABLE)) return DONE;
            pop_until(parser, TAG_TABLE);
            reset_insertion_mode(parser);
            return REPROCESS;
        case TAG_STYLE: case TAG_SCRIPT: case TAG_TEMPLATE: return start_tag_for_head(parser, token);
        case TAG_INPUT:
            if (is_hidden_input(parser, token)) return insert_void(parser, token);
            break;
        case TAG_FORM:
            if (parser->form < 0 && !is_open(parser, TAG_TEMPLATE))
                parser->form = insert_without_opening(parser, token, HTML);
            return DONE;
    }
    parser->foster_parenting = 1;
    int result = start_tag_in_body(parser, token);
    parser->foster_parenting = 0;
    return result;
}

static int end_tag_in_table(Parser *parser, uint32_t tag) {
    if (tag == TAG_TABLE) {
        if (!has_in_table_scope(parser, TAG_TABLE)) return DONE;
        pop_until(parser, TAG_TABLE);
        reset_insertion_mode(parser);
        return DONE;
    }
    if (groups_of(tag) & TABLE_PART || tag == TAG_BODY || tag == TAG_HTML) return DONE;
    if (tag == TAG_TEMPLATE) return end_template(parser);
    parser->foster_parenting = 1;
    int result = end_tag_in_body(parser, tag);
    parser->foster_parenting = 0;
    return result;
}

static int close_caption(Parser *parser, int result) {
    if (!has_in_table_scope(parser, TAG_CAPTION)) return DONE;
    generate_implied_end_tags(parser, TAG_COUNT);
    pop_until(parser, TAG_CAPTION);
    clear_formatting_to_marker(parser);
    return use_mode(parser, IN_TABLE, result);
}

static int start_tag_in_caption(Parser *parser, Token *token) {
    if (groups_of(token->tag) & TABLE_PART) return close_caption(parser, REPROCESS);
    return start_tag_in_body(parser, token);
}

static int end_tag_in_caption(Parser *parser, uint32_t tag) {
    if (tag == TAG_CAPTION) return close_caption(parser, DONE);
    if (tag == TAG_TABLE) return close_caption(parser, REPROCESS);
    if (groups_of(tag) & TABLE_PART || tag == TAG_BODY || tag == TAG_HTML) return DONE;
    return end_tag_in_body(parser, tag);
}

static int close_column_group(Parser *parser, int result) {
    if (!is_current(parser, TAG_COLGROUP)) return DONE;
    pop_open(parser);
    return use_mode(parser, IN_TABLE, result);
}

static int start_tag_in_column_group(Parser *parser, Token *token) {
    if (token->tag == TAG_HTML) return start_tag_in_body(parser, token);
    if (token->tag == TAG_COL) return insert_void(parser, token);
    if (token->tag == TAG_TEMPLATE) return start_template(parser, token);
    return close_column_group(parser, REPROCESS);
}

static int end_tag_in_column_group(Parser *parser, uint32_t tag) {
    if (tag == TAG_COL) return DONE;
    if (tag == TAG_TEMPLATE) return end_template(parser);
    return close_column_group(parser, tag == TAG_COLGROUP ? DONE : REPROCESS);
}

static int close_table_body(Parser *parser, int result) {
    if (!has_in_table_scope(parser, TAG_TBODY) && !has_in_table_scope(parser, TAG_THEAD) &&
        !has_in_table_scope(parser, TAG_TFOOT))
        return DONE;
    clear_to_table_body(parser);
    pop_open(parser);
    return use_mode(parser, IN_TABLE, result);
}

static int start_tag_in_table_body(Parser *parser, Token *token) {
    switch (token->tag) {
        case TAG_TR:
            clear_to_table_body(parser);
            insert_element(parser, token);
            return use_mode(parser, IN_ROW, DONE);
        case TAG_TD: case TAG_TH: clear_to_table_body(parser); return imply_in_table(parser, TAG_TR, IN_ROW);
        case TAG_CAPTION: case TAG_COL: case TAG_COLGROUP: case TAG_TBODY: case TAG_TFOOT: case TAG_THEAD:
            return close_table_body(parser, REPROCESS);
        default: return start_tag_in_table(parser, token);
    }
}

static int end_tag_in_table_body(Parser *parser, uint32_t tag) {
    if (tag == TAG_TABLE) return close_table_body(parser, REPROCESS);
    if (tag == TAG_TBODY || tag == TAG_TFOOT || tag == TAG_THEAD)
        return has_in_table_scope(parser, tag) ? close_table_body(parser, DONE) : DONE;
    return end_tag_in_table(parser, tag);
}

static int close_row(Parser *parser, int result) {
    if (!has_in_table_scope(parser, TAG_TR)) return DONE;
    clear_to_row(parser);
    pop_open(parser);
    return use_mode(parser, IN_TABLE_BODY, result);
}

static int start_tag_in_row(Parser *parser, Token *token) {
    if (token->tag == TAG_TD || token->tag == TAG_TH) {
        clear_to_row(parser);
        insert_element(parser, token);
        insert_marker(parser);
        return use_mode(parser, IN_CELL, DONE);
    }
    if (groups_of(token->tag) & TABLE_PART) return close_row(parser, REPROCESS);
    return start_tag_in_table(parser, token);
}

static int end_tag_in_row(Parser *parser, uint32_t tag) {
    if (tag == TAG_TR) return close_row(parser, DONE);
    if (tag == TAG_TABLE) return close_row(parser, REPROCESS);
    if (tag == TAG_TBODY || tag == TAG_TFOOT || tag == TAG_THEAD)
        return has_in_table_scope(parser, tag) ? close_row(parser, REPROCESS) : DONE;
    return end_tag_in_table(parser, tag);
}

/* "close the cell" */
static int close_cell(Parser *parser, int result) {
    int32_t position = max_position(open_position(parser, TAG_TD), open_position(parser, TAG_TH));
    generate_implied_end_tags(parser, TAG_COUNT);
    if (position > 0) pop_to_position(parser, position);
    clear_formatting_to_marker(parser);
    return use_mode(parser, IN_ROW, result);
}

static int start_tag_in_cell(Parser *parser, Token *token) {
    if (!(groups_of(token->tag) & TABLE_PART)) return start_tag_in_body(parser, token);
    if (!has_in_table_scope(parser, TAG_TD) && !has_in_table_scope(parser, TAG_TH)) return DONE;
    return close_cell(parser, REPROCESS);
}

static int end_tag_in_cell(Parser *parser, uint32_t tag) {
    switch (tag) {
        case TAG_TD: case TAG_TH:
            if (!has_in_table_scope(parser, tag)) return DONE;
            generate_implied_end_tags(parser, TAG_COUNT);
            pop_until(parser, tag);
            clear_formatting_to_marker(parser);
            return use_mode(parser, IN_ROW, DONE);
        case TAG_BODY: case TAG_CAPTION: case TAG_COL: case TAG_COLGROUP: case TAG_HTML: return DONE;
        case TAG_TABLE: case TAG_TBODY: case TAG_TFOOT: case TAG_THEAD: case TAG_TR:
            return has_in_table_scope(parser, tag) ? close_cell(parser, REPROCESS) : DONE;
        default: return end_tag_in_body(parser, tag);
    }
}

/* ---- 13.2.6.4.16 to 13.2.6.4.21: templates, framesets, and after the body */

static int start_tag_in_template(Parser *parser, Token *token) {
    if (groups_of(token->tag) & IN_HEAD_TAG) return start_tag_for_head(parser, token);
    Mode mode = IN_BODY;
    switch (token->tag) {
        case TAG_CAPTION: case TAG_COLGROUP: case TAG_TBODY: case TAG_TFOOT: case TAG_THEAD: mode = IN_TABLE; break;
        case TAG_COL: mode = IN_COLUMN_GROUP; break;
        case TAG_TR: mode = IN_TABLE_BODY; break;
        case TAG_TD: case TAG_TH: mode = IN_ROW; break;
    }
    if (parser->template_count) parser->template_modes[parser->template_count - 1] = (uint8_t)mode;
    return use_mode(parser, mode, REPROCESS);
}

static int end_tag_in_template(Parser *parser, uint32_t tag) {
    return tag == TAG_TEMPLATE ? end_template(parser) : DONE;
}

static int start_tag_after_body(Parser *parser, Token *token) {
    if (token->tag == TAG_HTML) return start_tag_in_body(parser, token);
    return use_mode(parser, IN_BODY, REPROCESS);
}

static int end_tag_after_body(Parser *parser, uint32_t tag) {
    if (tag == TAG_HTML && parser->mode == AFTER_BODY) return use_mode(parser, AFTER_AFTER_BODY, DONE);
    return use_mode(parser, IN_BODY, REPROCESS);
}

static int start_tag_in_frameset(Parser *parser, Token *token) {
    if (token->tag == TAG_HTML) return start_tag_in_body(parser, token);
    if (token->tag == TAG_NOFRAMES) return start_tag_for_head(parser, token);
    if (parser->mode != IN_FRAMESET) return DONE;
    if (token->tag == TAG_FRAMESET) insert_element(parser, token);
    if (token->tag == TAG_FRAME) insert_void(parser, token);
    return DONE;
}

static int end_tag_in_frameset(Parser *parser, uint32_t tag) {
    if (parser->mode == AFTER_FRAMESET && tag == TAG_HTML) parser->mode = AFTER_AFTER_FRAMESET;
    if (parser->mode != IN_FRAMESET || tag != TAG_FRAMESET || parser->open_count == 1) return DONE;
    pop_open(parser);
    if (!is_current(parser, TAG_FRAMESET)) parser->mode = AFTER_FRAMESET;
    return DONE;
}

typedef struct {
    int (*start_tag)(Parser *, Token *);
    int (*end_tag)(Parser *, uint32_t);
} Rules;

static const Rules RULES[] = { /* in the order of Mode */
    {start_tag_before_body, end_tag_before_body},     {start_tag_before_body, end_tag_before_body},
    {start_tag_before_body, end_tag_before_body},     {start_tag_before_body, end_tag_before_body},
    {start_tag_before_body, end_tag_before_body},     {start_tag_before_body, end_tag_before_body},
    {start_tag_in_body, end_tag_in_body},             {start_tag_in_table, end_tag_in_table},
    {start_tag_in_caption, end_tag_in_caption},       {start_tag_in_column_group, end_tag_in_column_group},
    {start_tag_in_table_body, end_tag_in_table_body}, {start_tag_in_row, end_tag_in_row},
    {start_tag_in_cell, end_tag_in_cell},             {start_tag_in_template, end_tag_in_template},
    {start_tag_after_body, end_tag_after_body},       {start_tag_in_frameset, end_tag_in_frameset},
    {start_tag_in_frameset, end_tag_in_frameset},     {start_tag_after_body, end_tag_after_body},
    {start_tag_in_frameset, end_tag_in_frameset}};

/* ---- 13.2.6.5 The rules for parsing tokens in foreign content */

static int is_mathml_text_integration_point(const Node *node) {
    return node->name_space == MATHML && groups_of(node->tag) & MATHML_TEXT;
}

static int is_html_integration_point(const Node *node) {
    if (node->name_space == SVG) return groups_of(node->tag) & SVG_HTML;
    return node->flags & IS_HTML_INTEGRATION_POINT;
}

static void pop_foreign(Parser *parser) {
    const Node *node = &NODE(current_node(parser));
    while (node->name_space != HTML && !is_mathml_text_integration_point(node) && !is_html_integration_point(node)) {
        pop_open(parser);
        node = &NODE(current_node(parser));
    }
}

static int ends_foreign_content(const Parser *parser, const Token *token) {
    if (token->tag != TAG_FONT) return groups_of(token->tag) & ENDS_FOREIGN;
    return find_attribute(parser, token, ATTRIBUTE_COLOR) || find_attribute(parser, token, ATTRIBUTE_FACE) ||
           find_attribute(parser, token, ATTRIBUTE_SIZE);
}

static int has_html_encoding(const Parser *parser, const Token *token) {
    for (uint32_t i = 0; i < token->attribute_count; i++) {
        const Attribute *attribute = &parser->attributes.items[token->first_attribute + i];
        if (name_is(parser, attribute->name, "encoding"))
            return value_is(parser, attribute, "text/html") || value_is(parser, attribute, "application/xhtml+xml");
    }
    return 0;
}

static int start_tag_in_foreign_content(Parser *parser, Token *token) {
    const Node *node = &NODE(current_node(parser));
    int name_space = node->name_space;
    if (is_html_integration_point(node)) return REPROCESS;
    int is_mathml_mark = token->tag == TAG_MGLYPH || token->tag == TAG_MALIGNMARK;
    if (is_mathml_text_integration_point(node) && !is_mathml_mark) return REPROCESS;
    if (name_space == MATHML && node->tag == TAG_ANNOTATION_XML && token->tag == TAG_SVG) return REPROCESS;
    if (ends_foreign_content(parser, token)) return pop_foreign(parser), REPROCESS;
    int32_t index = insert_foreign_element(parser, token, name_space);
    if (name_space == MATHML && token->tag == TAG_ANNOTATION_XML && has_html_encoding(parser, token))
        NODE(index).flags |= IS_HTML_INTEGRATION_POINT;
    return DONE;
}

static int end_tag_in_foreign_content(Parser *parser, uint32_t tag) {
    if (tag == TAG_BR || tag == TAG_P) return pop_foreign(parser), REPROCESS;
    if (!parser->tags.names[tag].foreign_open) return REPROCESS;
    for (uint32_t i = parser->open_count - 1; i > 0; i--) {
        const Node *node = &NODE(parser->open[i]);
        if (node->name_space == HTML) return REPROCESS;
        if (node->tag == tag) return pop_to_position(parser, (int32_t)i), DONE;
    }
    return REPROCESS;
}

/* ---- 13.2.6 The tree construction dispatcher */

static int is_in_foreign_content(const Parser *parser) {
    return parser->open_count && NODE(current_node(parser)).name_space != HTML;
}

static void process_start_tag(Parser *parser, Token *token) {
    if (is_in_foreign_content(parser) && start_tag_in_foreign_content(parser, token) == DONE) return;
    while (RULES[parser->mode].start_tag(parser, token) == REPROCESS) {}
}

static void process_end_tag(Parser *parser, uint32_t tag) {
    if (is_in_foreign_content(parser) && end_tag_in_foreign_content(parser, tag) == DONE) return;
    while (RULES[parser->mode].end_tag(parser, tag) == REPROCESS) {}
}

static void process_comment(Parser *parser) {
    switch (parser->mode) {
        case INITIAL: case BEFORE_HTML: case AFTER_AFTER_BODY: case AFTER_AFTER_FRAMESET:
            insert_comment(parser, 0);
            break;
        case AFTER_BODY: insert_comment(parser, parser->open[0]); break;
        default: insert_comment(parser, NONE);
    }
}

static uint32_t count_spaces(const Parser *parser, uint32_t start, uint32_t length) {
    uint32_t count = 0;
    while (count < length && is_space(parser->source.bytes[start + count])) count++;
    return count;
}

static void text_in_body(Parser *parser, uint32_t start, uint32_t length) {
    reconstruct_formatting(parser);
    if (parser->frameset_ok && count_spaces(parser, start, length) < length) parser->frameset_ok = 0;
    insert_text(parser, start, length);
}

static void text_in_table(Parser *parser, uint32_t start, uint32_t length) {
    if (current_is_in(parser, FOSTERS) || is_current(parser, TAG_TEMPLATE))
        if (count_spaces(parser, start, length) == length) {
            insert_text(parser, start, length);
            return;
        }
    parser->foster_parenting = 1;
    text_in_body(parser, start, length);
    parser->foster_parenting = 0;
}

/* Framesets show no text: only white space is kept. */
static void spaces_in_frameset(Parser *parser, uint32_t start, uint32_t length) {
    for (uint32_t end = start + length; start < end; start++) {
        uint32_t spaces = count_spaces(parser, start, end - start);
        insert_text(parser, start, spaces);
        start += spaces;
    }
}

static void process_text(Parser *parser, uint32_t start, uint32_t length) {
    if (is_in_foreign_content(parser)) {
        const Node *node = &NODE(current_node(parser));
        if (!is_mathml_text_integration_point(node) && !is_html_integration_point(node)) {
            if (parser->frameset_ok && count_spaces(parser, start, length) < length) parser->frameset_ok = 0;
            insert_text(parser, start, length);
            return;
        }
    }
    while (length) {
        uint32_t spaces = 0;
        if (parser->mode <= AFTER_HEAD || parser->mode == IN_COLUMN_GROUP) {
            spaces = count_spaces(parser, start, length);
            if (parser->mode >= IN_HEAD) insert_text(parser, start, spaces);
            start += spaces;
            length -= spaces;
            if (!length) return;
        }
        switch (parser->mode) {
            case INITIAL: case BEFORE_HTML: case BEFORE_HEAD: case IN_HEAD: case IN_HEAD_NOSCRIPT: case AFTER_HEAD:
                insert_implied(parser);
                break;
            case IN_COLUMN_GROUP:
                if (close_column_group(parser, REPROCESS) == DONE) return;
                break;
            case IN_TABLE: case IN_TABLE_BODY: case IN_ROW: text_in_table(parser, start, length); return;
            case IN_FRAMESET: case AFTER_FRAMESET: case AFTER_AFTER_FRAMESET:
                spaces_in_frameset(parser, start, length);
                return;
            case AFTER_BODY: case AFTER_AFTER_BODY:
                if (count_spaces(parser, start, length) < length) parser->mode = IN_BODY;
                text_in_body(parser, start, length);
                return;
            default: text_in_body(parser, start, length); return;
        }
    }
}

/* The rules for the end of the file: make the elements that the page left out, and close its templates. */
static void process_end_of_file(Parser *parser) {
    while (parser->template_count && is_open(parser, TAG_TEMPLATE)) close_template(parser);
    while (parser->mode < IN_BODY) insert_implied(parser);
}
#endif
