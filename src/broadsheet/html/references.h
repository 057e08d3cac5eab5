/* 13.2.5.72 to 13.2.5.80: character references. */
#ifndef BROADSHEET_REFERENCES_H
#define BROADSHEET_REFERENCES_H

#include "text.h"
#include "entities.h" /* generated: ENTITIES, ENTITY_COUNT, MAX_ENTITY_NAME, MAX_BARE_NAME */

#define ENTITY_SLOTS 8192 /* a power of two, more than twice the number of entities */
#define MAX_REPLACEMENT 8 /* bytes: two characters of up to 4 */

static uint16_t ENTITY_SLOT[ENTITY_SLOTS]; /* number of the entity + 1 */

static inline uint32_t hash_bytes(const uint8_t *bytes, size_t length) {
    uint32_t hash = (uint32_t)length;
    for (size_t i = 0; i < length; i++) hash = (hash ^ bytes[i]) * 0x01000193u;
    return hash ^ hash >> 15;
}

static void prepare_entities(void) {
    for (int number = 0; number < ENTITY_COUNT; number++) {
        const Entity *entity = &ENTITIES[number];
        uint32_t slot = hash_bytes((const uint8_t *)entity->name, entity->name_length) % ENTITY_SLOTS;
        while (ENTITY_SLOT[slot]) slot = (slot + 1) % ENTITY_SLOTS;
        ENTITY_SLOT[slot] = (uint16_t)(number + 1);
    }
}

static const Entity *find_entity(const uint8_t *name, size_t length) {
    uint32_t slot = hash_bytes(name, length) % ENTITY_SLOTS;
    for (; ENTITY_SLOT[slot]; slot = (slot + 1) % ENTITY_SLOTS) {
        const Entity *entity = &ENTITIES[ENTITY_SLOT[slot] - 1];
        if (entity->name_length == length && !memcmp(entity->name, name, length)) return entity;
    }
    return NULL;
}

/* 13.2.5.80: the character that a number stands for. */
static uint32_t replace_number(uint32_t number) {
    static const uint16_t WINDOWS_1252[32] = {0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                              0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0x8D,   0x17D,  0x8F,
                                              0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                              0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};
    if (number == 0 || number > 0x10FFFF || number >> 11 == 0x1B) return 0xFFFD;
    return number >= 0x80 && number < 0xA0 ? WINDOWS_1252[number - 0x80] : number;
}

/* Read "&#...": return the bytes read, 0 if it is no reference. */
static size_t decode_number(const uint8_t *at, const uint8_t *end, uint8_t **to) {
    const uint8_t *digit = at + 2;
    int is_hex = digit < end && LOWER[*digit] == 'x';
    const uint8_t *first = digit += is_hex;
    uint32_t number = 0;
    for (; digit < end; digit++) {
        uint8_t byte = LOWER[*digit];
        int is_letter_digit = is_hex && byte >= 'a' && byte <= 'f';
        if (!is_letter_digit && !(BYTE_CLASS[byte] & DIGIT)) break;
        uint32_t value = is_letter_digit ? byte - 'a' + 10u : byte - '0' + 0u;
        if (number <= 0x10FFFF) number = number * (is_hex ? 16 : 10) + value;
    }
    if (digit == first) return 0;
    *to = write_utf8(*to, replace_number(number));
    return (size_t)(digit - at) + (digit < end && *digit == ';');
}

/* Read the reference at "&", write its characters, and return the bytes read; 0 if it is no reference. */
static size_t decode_reference(const uint8_t *at, const uint8_t *end, uint8_t **to, int is_attribute) {
    const uint8_t *name = at + 1;
    size_t left = (size_t)(end - name), length = 0;
    if (left && *name == '#') return decode_number(at, end, to);
    while (length < left && length < MAX_ENTITY_NAME && BYTE_CLASS[name[length]] & (LETTER | DIGIT)) length++;
    const Entity *entity = NULL;
    if (length < left && name[length] == ';') entity = find_entity(name, length + 1);
    if (length > MAX_BARE_NAME && !entity) length = MAX_BARE_NAME;
    for (; !entity && length >= 2; length--) {
        entity = find_entity(name, length);
        if (!entity) continue;
        int is_longer = length < left && (name[length] == '=' || BYTE_CLASS[name[length]] & (LETTER | DIGIT));
        if (is_attribute && is_longer) return 0;
        break;
    }
    if (!entity) return 0;
    memcpy(*to, entity->characters, entity->characters_length);
    *to += entity->characters_length;
    return 1 + (size_t)entity->name_length;
}

/* The bytes that decoded text may need: some references of 5 bytes stand for 6. */
static size_t decoded_size(size_t length) { return length + length / 4 + MAX_REPLACEMENT + SLACK; }

/* Write a text with its references decoded; return its end. */
static uint8_t *decode_references(const uint8_t *at, const uint8_t *end, uint8_t *to, int is_attribute) {
    while (at < end) {
        const uint8_t *reference = memchr(at, '&', (size_t)(end - at));
        size_t length = (size_t)((reference ? reference : end) - at);
        memcpy(to, at, length);
        to += length;
        at += length;
        if (at == end) break;
        size_t read = decode_reference(at, end, &to, is_attribute);
        if (!read) *to++ = *at, read = 1;
        at += read;
    }
    return to;
}
#endif
