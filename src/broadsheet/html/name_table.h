/* Names of tags and attributes as numbers: fixed numbers first, then those of the other names of the page. */
#ifndef BROADSHEET_NAME_TABLE_H
#define BROADSHEET_NAME_TABLE_H

#include "references.h"
#include "tags.h" /* generated */

#define MAX_NAMES 65000 /* numbers have 16 bits */
#define NO_NAME 0xFFFF

typedef struct {
    uint32_t hash, start, length; /* range of NameTable.text */
    uint32_t last_tag;            /* of an attribute: the last start tag that has it, to find duplicates */
    int32_t last_open;            /* of a tag: the innermost open HTML element, -1 for none */
    int32_t foreign_open;         /* of a tag: number of open SVG and MathML elements */
    uint16_t svg_name;            /* of an attribute: its number in SVG elements, NO_NAME if not known yet */
    uint16_t merged_into;         /* of an attribute: bits of the elements <html> and <body> that have it */
} Name;

typedef struct {
    Name *names;
    uint16_t *slots; /* open addressing: number of the name + 1 */
    Buffer text;
    uint32_t count, capacity, slot_capacity; /* slot_capacity is a power of two */
} NameTable;

static NameTable FIXED_TAGS, FIXED_ATTRIBUTES; /* filled once, and copied for every page */

static void put_in_slot(NameTable *table, uint32_t number) {
    uint32_t slot = table->names[number].hash & (table->slot_capacity - 1);
    while (table->slots[slot]) slot = (slot + 1) & (table->slot_capacity - 1);
    table->slots[slot] = (uint16_t)(number + 1);
}

static int double_slots(NameTable *table) {
    uint16_t *slots = calloc((size_t)table->slot_capacity * 2, sizeof *slots);
    if (!slots) return 0;
    free(table->slots);
    table->slots = slots;
    table->slot_capacity *= 2;
    for (uint32_t number = 0; number < table->count; number++) put_in_slot(table, number);
    return 1;
}

static int equals_in_lower_case(const uint8_t *lower, const uint8_t *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (lower[i] != LOWER[text[i]]) return 0;
    return 1;
}

/* Add a name in lower case, or as it is; return its number, NO_NAME if there is no room. */
static uint16_t add_name(NameTable *table, const uint8_t *text, size_t length, uint32_t hash, int is_lowered) {
    if (table->count >= MAX_NAMES) return NO_NAME;
    if (!RESERVE(table->names, table->capacity, table->count + 1)) return NO_NAME;
    if (!RESERVE(table->text.bytes, table->text.capacity, (size_t)table->text.length + length)) return NO_NAME;
    if (table->count * 2 >= table->slot_capacity && !double_slots(table)) return NO_NAME;
    uint8_t *to = table->text.bytes + table->text.length;
    for (size_t i = 0; i < length; i++) to[i] = is_lowered ? LOWER[text[i]] : text[i];
    Name name = {hash, table->text.length, (uint32_t)length, 0, -1, 0, NO_NAME, 0};
    table->names[table->count] = name;
    table->text.length += (uint32_t)length;
    put_in_slot(table, table->count);
    return (uint16_t)table->count++;
}

/* The hash of a name is made while its end is looked for: start with 0, add each byte in lower case. */
static inline uint32_t add_to_hash(uint32_t hash, uint8_t byte) { return (hash + byte) * 0x9E3779B1u; }
static inline uint32_t finish_hash(uint32_t hash) { return hash ^ hash >> 15; }

/* Return the number of a name of the page; it is compared in lower case. */
static uint16_t intern_name(NameTable *table, const uint8_t *text, size_t length, uint32_t hash) {
    uint32_t slot = hash & (table->slot_capacity - 1);
    for (; table->slots[slot]; slot = (slot + 1) & (table->slot_capacity - 1)) {
        const Name *name = &table->names[table->slots[slot] - 1];
        if (name->hash == hash && name->length == length &&
            equals_in_lower_case(table->text.bytes + name->start, text, length))
            return (uint16_t)(table->slots[slot] - 1);
    }
    return add_name(table, text, length, hash, 1);
}

/* Return the number of a name that has capitals. */
static uint16_t intern_as_is(NameTable *table, const char *text) {
    size_t length = strlen(text);
    uint32_t hash = hash_bytes((const uint8_t *)text, length);
    uint32_t slot = hash & (table->slot_capacity - 1);
    for (; table->slots[slot]; slot = (slot + 1) & (table->slot_capacity - 1)) {
        const Name *name = &table->names[table->slots[slot] - 1];
        if (name->length == length && !memcmp(table->text.bytes + name->start, text, length))
            return (uint16_t)(table->slots[slot] - 1);
    }
    return add_name(table, (const uint8_t *)text, length, hash, 0);
}

static void free_names(NameTable *table) {
    free(table->names);
    free(table->slots);
    free(table->text.bytes);
}

static void *copy_memory(const void *from, size_t size) {
    void *copy = malloc(size);
    if (copy) memcpy(copy, from, size);
    return copy;
}

/* Make a table for a page from one with the fixed names. */
static int copy_names(NameTable *table, const NameTable *fixed) {
    *table = *fixed;
    table->names = copy_memory(fixed->names, fixed->capacity * sizeof(Name));
    table->slots = copy_memory(fixed->slots, fixed->slot_capacity * sizeof(uint16_t));
    table->text.bytes = copy_memory(fixed->text.bytes, fixed->text.capacity);
    return table->names && table->slots && table->text.bytes;
}

static int prepare_names(NameTable *table, const char *const *names, uint32_t count) {
    uint32_t slots = 512;
    table->slots = calloc(slots, sizeof(uint16_t));
    table->slot_capacity = slots;
    for (uint32_t i = 0; table->slots && i < count; i++) {
        uint32_t hash = 0;
        for (const char *at = names[i]; *at; at++) hash = add_to_hash(hash, (uint8_t)*at);
        add_name(table, (const uint8_t *)names[i], strlen(names[i]), finish_hash(hash), 0);
    }
    return table->count == count;
}
#endif
