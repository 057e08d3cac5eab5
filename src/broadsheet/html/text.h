/* Memory and characters: growing arrays, classes of bytes, UTF-8, and the page's source as UTF-8. */
#ifndef BROADSHEET_TEXT_H
#define BROADSHEET_TEXT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define HAS_SSE2 1
#endif
#include "characters.h" /* generated: IS_UNSAFE_IN_NFC */

#define SLACK 16             /* readable and writable bytes behind every buffer, see copy_bytes */
#define MAX_BYTES 0x30000000 /* of the source, and of all decoded text; offsets have 31 bits */

enum { SPACE = 1, LETTER = 2, DIGIT = 4 };
static uint8_t BYTE_CLASS[256], LOWER[256];
static uint8_t IN_TAG_NAME[256], IN_ATTRIBUTE_NAME[256]; /* the byte in lower case; 0: it ends the name */

static void prepare_bytes(void) {
    for (int byte = 0; byte < 256; byte++) {
        LOWER[byte] = (uint8_t)(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
        int is_space = byte == ' ' || byte == '\n' || byte == '\t' || byte == '\f' || byte == '\r';
        int ends_name = is_space || byte == '/' || byte == '>';
        int is_digit = byte >= '0' && byte <= '9', is_letter = LOWER[byte] >= 'a' && LOWER[byte] <= 'z';
        BYTE_CLASS[byte] = (uint8_t)((is_space ? SPACE : 0) | (is_letter ? LETTER : 0) | (is_digit ? DIGIT : 0));
        IN_TAG_NAME[byte] = ends_name ? 0 : LOWER[byte];
        IN_ATTRIBUTE_NAME[byte] = ends_name || byte == '=' ? 0 : LOWER[byte];
    }
}

static inline int is_space(uint8_t byte) { return BYTE_CLASS[byte] & SPACE; }
static inline int is_letter(uint8_t byte) { return BYTE_CLASS[byte] & LETTER; }

/* Return an array with room for `needed` items, or NULL: then the old one stays valid. */
static void *grow_array(void *items, uint32_t *capacity, size_t needed, size_t item_size) {
    size_t new_capacity = (size_t)*capacity * 2 > needed ? (size_t)*capacity * 2 : needed;
    if (new_capacity > UINT32_MAX / 2 || new_capacity > SIZE_MAX / item_size - SLACK) return NULL;
    void *grown = realloc(items, new_capacity * item_size + SLACK);
    if (grown) *capacity = (uint32_t)new_capacity;
    return grown;
}

/* Make room for `needed` items in an array; false if there is no memory. */
#define RESERVE(items, capacity, needed) \
    ((size_t)(needed) <= (capacity) || reserve_array((void *)&(items), &(capacity), needed, sizeof *(items)))

static int reserve_array(void *address, uint32_t *capacity, size_t needed, size_t item_size) {
    void *items;
    memcpy(&items, address, sizeof items);
    items = grow_array(items, capacity, needed, item_size);
    if (items) memcpy(address, &items, sizeof items);
    return items != NULL;
}

typedef struct {
    uint8_t *bytes;
    uint32_t length, capacity;
} Buffer;

/* Copy a short range fast: up to SLACK bytes behind it are read and written. */
static inline uint8_t *copy_bytes(uint8_t *to, const uint8_t *from, size_t length) {
    if (length <= SLACK)
        memcpy(to, from, SLACK);
    else
        memcpy(to, from, length);
    return to + length;
}

static inline uint8_t *write_utf8(uint8_t *to, uint32_t character) {
    if (character < 0x80) {
        *to++ = (uint8_t)character;
        return to;
    }
    if (character < 0x800) {
        *to++ = (uint8_t)(0xC0 | character >> 6);
    } else {
        if (character < 0x10000) {
            *to++ = (uint8_t)(0xE0 | character >> 12);
        } else {
            *to++ = (uint8_t)(0xF0 | character >> 18);
            *to++ = (uint8_t)(0x80 | (character >> 12 & 63));
        }
        *to++ = (uint8_t)(0x80 | (character >> 6 & 63));
    }
    *to++ = (uint8_t)(0x80 | (character & 63));
    return to;
}

/* Read a character of well-formed UTF-8. */
static inline uint32_t read_utf8(const uint8_t **at) {
    const uint8_t *from = *at;
    uint32_t first = *from;
    if (first < 0x80) return *at += 1, first;
    if (first < 0xE0) return *at += 2, (first & 31) << 6 | (from[1] & 63);
    if (first < 0xF0) return *at += 3, (first & 15) << 12 | (uint32_t)(from[1] & 63) << 6 | (from[2] & 63);
    *at += 4;
    return (first & 7) << 18 | (uint32_t)(from[1] & 63) << 12 | (uint32_t)(from[2] & 63) << 6 | (from[3] & 63);
}

/* Tell whether Python's `str.isspace` counts the character as white space. */
static int is_python_space(uint32_t character) {
    if (character < 0x80) return (character >= 9 && character <= 13) || (character >= 0x1C && character <= 0x20);
    if (character >= 0x2000 && character <= 0x200A) return 1;
    return character == 0x85 || character == 0xA0 || character == 0x1680 || character == 0x2028 ||
           character == 0x2029 || character == 0x202F || character == 0x205F || character == 0x3000;
}

static const uint8_t *skip_python_spaces(const uint8_t *at, const uint8_t *end) {
    while (at < end) {
        if (is_space(*at)) {
            at++;
            continue;
        }
        const uint8_t *next = at;
        if (!is_python_space(read_utf8(&next))) break;
        at = next;
    }
    return at;
}

/* Tell whether a text may be in another form than NFC: then Python looks at it. */
static int may_need_normalization(const uint8_t *at, const uint8_t *end) {
    while (at < end) {
        uint64_t eight;
        if (end - at >= 8 && (memcpy(&eight, at, 8), !(eight & 0x8080808080808080u))) {
            at += 8;
            continue;
        }
        if (*at < 0xCC) { /* below U+0300 */
            at++;
            continue;
        }
        uint32_t character = read_utf8(&at);
        int is_safe = character < 0x10000 ? !(IS_UNSAFE_IN_NFC[character >> 6] >> (character & 63) & 1)
                                          : character >= 0x1F000 && character < 0x1FB00; /* emoji */
        if (!is_safe) return 1;
    }
    return 0;
}

/* Copy the ASCII characters at the start of wide characters; return their number. */
static size_t copy_ascii(uint8_t *to, const uint16_t *from, size_t count) {
    size_t done = 0;
#ifdef HAS_SSE2
    const __m128i above_ascii = _mm_set1_epi16((short)0xFF80), zero = _mm_setzero_si128();
    for (; done + 16 <= count; done += 16) {
        __m128i low = _mm_loadu_si128((const __m128i *)(from + done));
        __m128i high = _mm_loadu_si128((const __m128i *)(from + done + 8));
        __m128i others = _mm_and_si128(_mm_or_si128(low, high), above_ascii);
        if (_mm_movemask_epi8(_mm_cmpeq_epi16(others, zero)) != 0xFFFF) break;
        _mm_storeu_si128((__m128i *)(to + done), _mm_packus_epi16(low, high));
    }
#endif
    for (; done < count && from[done] < 0x80; done++) to[done] = (uint8_t)from[done];
    return done;
}

static uint8_t *write_latin1(uint8_t *to, const uint8_t *from, size_t count) {
    for (size_t i = 0; i < count;) {
        uint64_t eight;
        if (i + 8 <= count && (memcpy(&eight, from + i, 8), !(eight & 0x8080808080808080u))) {
            memcpy(to, &eight, 8);
            to += 8;
            i += 8;
        } else {
            to = write_utf8(to, from[i++]);
        }
    }
    return to;
}

static uint8_t *write_wide(uint8_t *to, const uint16_t *from, size_t count) {
    for (size_t i = 0; i < count;) {
        size_t ascii = copy_ascii(to, from + i, count - i);
        to += ascii;
        i += ascii;
        for (; i < count && from[i] >= 0x80; i++) {
            if (from[i] >> 11 == 0x1B) return NULL; /* a lone surrogate */
            to = write_utf8(to, from[i]);
        }
    }
    return to;
}

static uint8_t *write_wider(uint8_t *to, const uint32_t *from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (from[i] >> 11 == 0x1B) return NULL;
        to = write_utf8(to, from[i]);
    }
    return to;
}

/* 13.2.3.5 Preprocessing the input stream: every CR LF and every CR becomes LF. Return the new length. */
static size_t normalize_newlines(uint8_t *bytes, size_t length) {
    uint8_t *from = memchr(bytes, '\r', length), *to = from, *end = bytes + length;
    if (!from) return length;
    while (from < end) {
        uint8_t *next = memchr(from, '\r', (size_t)(end - from));
        if (!next) next = end;
        memmove(to, from, (size_t)(next - from));
        to += next - from;
        if (next < end) *to++ = '\n', next++;
        from = next + (next < end && *next == '\n');
    }
    return (size_t)(to - bytes);
}

enum { SOURCE_READ, SOURCE_UNSUPPORTED, SOURCE_NO_MEMORY };

/* Write the characters of a str, with `width` bytes each, as UTF-8. NUL and lone surrogates are not supported. */
static int read_source(Buffer *source, const void *characters, int width, size_t count) {
    static const uint8_t MAX_UTF8[] = {0, 2, 3, 0, 4};
    if (count > MAX_BYTES / MAX_UTF8[width]) return SOURCE_UNSUPPORTED;
    if (!RESERVE(source->bytes, source->capacity, count * MAX_UTF8[width] + SLACK)) return SOURCE_NO_MEMORY;
    uint8_t *end = width == 1   ? write_latin1(source->bytes, characters, count)
                   : width == 2 ? write_wide(source->bytes, characters, count)
                                : write_wider(source->bytes, characters, count);
    if (!end || memchr(source->bytes, 0, (size_t)(end - source->bytes))) return SOURCE_UNSUPPORTED;
    source->length = (uint32_t)normalize_newlines(source->bytes, (size_t)(end - source->bytes));
    source->bytes[source->length++] = 0; /* ends names */
    return SOURCE_READ;
}
#endif
