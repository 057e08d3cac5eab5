/* 13.2.5.53 to 13.2.5.67: document types, and which of them put the page into quirks mode (13.2.6.4.1). */
#ifndef BROADSHEET_DOCTYPE_H
#define BROADSHEET_DOCTYPE_H

#include "text.h"

/* Public identifiers, or the start of them; all that begin so are known. */
static const char *const QUIRKY_PREFIXES[] = {
    "+//silmaril//dtd html pro v0r11 19970101//", "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    "-//as//dtd html 3.0 aswedit + extensions//", "-//ietf//dtd html", "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer ", "-//netscape comm. corp.//dtd html//",
    "-//netscape comm. corp.//dtd strict html//", "-//o'reilly and associates//dtd html ",
    "-//softquad software//dtd hotmetal pro 6.0",
    "-//softquad//dtd hotmetal pro 4.0", "-//spyglass//dtd html 2.0 extended//",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//sun microsystems corp.//dtd hotjava ", "-//w3c//dtd html 3", "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//", "-//w3c//dtd html experimental ", "-//w3c//dtd w3 html//",
    "-//w3o//dtd w3 html 3.0//", "-//webtechs//dtd mozilla html", NULL};
static const char *const QUIRKY_IDENTIFIERS[] = {
    "-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html", NULL};
static const char *const QUIRKY_WITHOUT_SYSTEM[] = {
    "-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//", NULL};
static const char *const QUIRKY_SYSTEM[] = {"http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd", NULL};

typedef struct {
    const uint8_t *start, *end; /* NULL: missing */
} Range;

static int begins_with(Range text, const char *prefix) {
    const uint8_t *at = text.start;
    for (; *prefix; prefix++, at++)
        if (at >= text.end || LOWER[*at] != (uint8_t)*prefix) return 0;
    return 1;
}

static int is_one_of(Range text, const char *const *values, int is_prefix) {
    for (; *values; values++)
        if (begins_with(text, *values) && (is_prefix || strlen(*values) == (size_t)(text.end - text.start))) return 1;
    return 0;
}

static const uint8_t *skip_spaces(const uint8_t *at, const uint8_t *end) {
    while (at < end && is_space(*at)) at++;
    return at;
}

/* Read an identifier in quotes; its start is NULL if there is none. `is_broken` is set if it does not end. */
static const uint8_t *read_identifier(const uint8_t *at, const uint8_t *end, Range *identifier, int *is_broken) {
    at = skip_spaces(at, end);
    if (at >= end || (*at != '"' && *at != '\'')) return at;
    uint8_t quote = *at++;
    identifier->start = at;
    while (at < end && *at != quote && *at != '>') at++;
    identifier->end = at;
    if (at < end && *at == quote) return at + 1;
    *is_broken = 1;
    return at;
}

/* Read a document type after "<!doctype"; return its end, and whether it means quirks mode. */
static const uint8_t *read_doctype(const uint8_t *at, const uint8_t *end, int *is_quirky) {
    static const char *const HTML_NAME[] = {"html", NULL};
    Range name = {skip_spaces(at, end), NULL}, public_id = {NULL, NULL}, system_id = {NULL, NULL};
    int is_broken = 0;
    for (at = name.start; at < end && !is_space(*at) && *at != '>'; at++) {}
    name.end = at;
    Range rest = {skip_spaces(at, end), end};
    at = rest.start;
    if (begins_with(rest, "public")) {
        at = read_identifier(at + 6, end, &public_id, &is_broken);
        is_broken |= !public_id.start;
        if (!is_broken) at = read_identifier(at, end, &system_id, &is_broken);
        is_broken |= !system_id.start && (at = skip_spaces(at, end)) < end && *at != '>';
    } else if (begins_with(rest, "system")) {
        at = read_identifier(at + 6, end, &system_id, &is_broken);
        is_broken |= !system_id.start;
    } else {
        is_broken = at < end && *at != '>';
    }
    const uint8_t *close = at < end ? memchr(at, '>', (size_t)(end - at)) : NULL;
    *is_quirky = is_broken || !close || !is_one_of(name, HTML_NAME, 0) || is_one_of(public_id, QUIRKY_PREFIXES, 1) ||
                 is_one_of(public_id, QUIRKY_IDENTIFIERS, 0) || is_one_of(system_id, QUIRKY_SYSTEM, 0) ||
                 (!system_id.start && is_one_of(public_id, QUIRKY_WITHOUT_SYSTEM, 1));
    return close ? close + 1 : end;
}
#endif
