// SPDX-License-Identifier: Apache-2.0
//
// The C++ exception that a thread was handling when it called abort(3): in a `catch` block, or in a
// terminate handler of the program's own, which took the place of ours. Its type and text are read
// from memory, and none of the program's code runs. "ABI" is
// https://itanium-cxx-abi.github.io/cxx-abi/abi.html.

#include "sections/sections.h"

#include "epitaph_cxx_layout.h"
#include "epitaph_settings.h"
#include "memory/memory.h"

enum { NAME_SIZE = 512, TEXT_SIZE = 512, MOST_BASES = 8, MOST_NESTED = 4 };

typedef struct cxx_object {
    uint64_t type;
    uint64_t address;
} cxx_object;

static uint64_t word_at(uint64_t address) {
    uint64_t word = 0;
    return epitaph_memory_read_exactly(&word, address, sizeof word) ? word : 0;
}

/// `__cxa_eh_globals` begins with the innermost exception that is being handled: EH 2.2.2.
static bool find(cxx_object *object) {
    uint64_t offset = epitaph_capture_settings_now.facts.cxx_globals_offset;
    if (offset == 0) return false;
    uint64_t header = word_at((uint64_t)__builtin_thread_pointer() + offset);
    if (header == 0) return false;
    uint64_t class = word_at(header + EPITAPH_CXX_GNU_HEADER_OFFSET);
    if ((class & EPITAPH_CXX_CLASS_MASK) == EPITAPH_CXX_GNU_CLASS) {
        object->address =
            class == EPITAPH_CXX_GNU_CLASS ? header + EPITAPH_CXX_TYPE_DISTANCE : word_at(header);
    } else if (word_at(header + EPITAPH_CXX_LLVM_HEADER_OFFSET) == EPITAPH_CXX_LLVM_CLASS) {
        object->address = header + EPITAPH_CXX_LLVM_HEADER_OFFSET + EPITAPH_CXX_UNWIND_HEADER_SIZE;
    } else {
        return false;
    }
    object->type = word_at(object->address - EPITAPH_CXX_TYPE_DISTANCE);
    return object->type != 0;
}

/// The mangled name of a std::type_info, which follows its virtual table: ABI 2.9.4. GCC puts a
/// star before names of types that are compared by address only.
static size_t read_name(char *name, uint64_t type) {
    uint64_t address = word_at(type + 8);
    char first = 0;
    if (address == 0 || !epitaph_memory_read_exactly(&first, address, 1)) return 0;
    return epitaph_memory_read_text(name, NAME_SIZE, first == '*' ? address + 1 : address);
}

static bool is_equal(const char *one, const char *other) {
    while (*one != 0 && *one == *other) {
        one++;
        other++;
    }
    return *one == *other;
}

/// Whether the type's own class is `kind`: the word before a virtual table's functions is the type
/// of its class.
static bool is_described_by(uint64_t type, const char *kind) {
    char name[NAME_SIZE];
    uint64_t functions = word_at(type);
    return functions != 0 && read_name(name, word_at(functions - 8)) > 0 && is_equal(name, kind);
}

static bool has_bases(uint64_t type) {
    return is_described_by(type, "N10__cxxabiv121__vmi_class_type_infoE");
}

/// A base class of a type that has several, ABI 2.9.5: behind flags and their number, of each its
/// type, and its offset above eight flags, of which the lowest is set for a virtual base.
static cxx_object base_at(const cxx_object *object, uint64_t index) {
    uint64_t place = object->type + 24 + 16 * index;
    uint64_t offset = word_at(place + 8);
    cxx_object base;
    base.type = (offset & 1) == 0 ? word_at(place) : 0;
    base.address = object->address + (offset >> 8);
    return base;
}

/// The type of the first base class if the object begins with it, otherwise 0.
static uint64_t first_base(uint64_t type) {
    if (is_described_by(type, "N10__cxxabiv120__si_class_type_infoE")) return word_at(type + 16);
    if (!has_bases(type)) return 0;
    const cxx_object object = {type, 0};
    const cxx_object base = base_at(&object, 0);
    return base.address == 0 ? base.type : 0;
}

/// The exception that was handled when std::throw_with_nested threw this one: behind the virtual
/// table of std::nested_exception, a base class, in both runtimes.
static bool find_nested(const cxx_object *outer, cxx_object *inner) {
    if (!has_bases(outer->type)) return false;
    uint64_t count = word_at(outer->type + 16) >> 32;
    for (uint64_t i = 0; i < count && i < MOST_BASES; i++) {
        char name[NAME_SIZE];
        const cxx_object base = base_at(outer, i);
        if (base.type == 0 || read_name(name, base.type) == 0) continue;
        if (!is_equal(name, "St16nested_exception")) continue;
        inner->address = word_at(base.address + 8);
        uint64_t class = word_at(inner->address - EPITAPH_CXX_UNWIND_HEADER_SIZE);
        if (class != EPITAPH_CXX_GNU_CLASS && class != EPITAPH_CXX_LLVM_CLASS) return false;
        inner->type = word_at(inner->address - EPITAPH_CXX_TYPE_DISTANCE);
        return inner->type != 0;
    }
    return false;
}

/// Whether its what() is a text whose address follows the virtual table, in both runtimes.
static bool has_message(uint64_t type) {
    char name[NAME_SIZE];
    for (int i = 0; i < MOST_BASES && type != 0; i++, type = first_base(type)) {
        if (read_name(name, type) == 0) return false;
        if (is_equal(name, "St13runtime_error") || is_equal(name, "St11logic_error")) return true;
    }
    return false;
}

/// The text that was thrown, or is what(). Returns its length.
static size_t read_text(char *text, const cxx_object *object, const char *name) {
    uint64_t place = object->address;
    if (is_equal(name, EPITAPH_CXX_STRING_NAME)) {
        uint64_t length = word_at(place + 8);
        length = length < TEXT_SIZE - 1 ? length : TEXT_SIZE - 1;
        return epitaph_memory_read_text(text, (size_t)length + 1, word_at(place));
    }
    if (has_message(object->type)) {
        place += 8;
    } else if (!is_equal(name, "PKc") && !is_equal(name, "Pc")) {
        return 0;
    }
    uint64_t address = word_at(place);
    return address == 0 ? 0 : epitaph_memory_read_text(text, TEXT_SIZE, address);
}

/// Integers and bool: ABI 5.1.5. Returns the length of the text.
static size_t write_number(char *text, const cxx_object *object, const char *name) {
    // Signed and unsigned ones of 1, 2, 4, 8 and 8 bytes; char is either, as the machine has it.
    static const char types[] = "ahstijlmxy";
    const char type = name[0] == 'c' ? ((char)-1 < 0 ? 'a' : 'h') : name[0] == 'b' ? 'h' : name[0];
    uint32_t index = 0;
    while (types[index] != 0 && types[index] != type)
        index++;
    uint64_t number = 0;
    const uint32_t bytes = index < 8 ? 1u << index / 2 : 8;
    if (types[index] == 0 || name[1] != 0 ||
        !epitaph_memory_read_exactly(&number, object->address, bytes)) {
        return 0;
    }
    size_t length = 0;
    if (name[0] == 'b') {
        epitaph_text_append(text, TEXT_SIZE, &length, number == 0 ? "false" : "true");
        return length;
    }
    const bool is_signed = index % 2 == 0;
    const uint32_t unused_bits = 64 - 8 * bytes;
    if (is_signed) number = (uint64_t)((int64_t)(number << unused_bits) >> unused_bits);
    if (is_signed && (int64_t)number < 0) {
        epitaph_text_append(text, TEXT_SIZE, &length, "-");
        number = -number;
    }
    epitaph_text_append_number(text, TEXT_SIZE, &length, number);
    return length;
}

/// Appends the mangled type, and what was thrown if that can be told.
static void append_exception(char *words, size_t *count, const cxx_object *object) {
    char name[NAME_SIZE], text[TEXT_SIZE];
    if (read_name(name, object->type) == 0) return;
    size_t length = write_number(text, object, name);
    if (length == 0) length = read_text(text, object, name);
    epitaph_text_append(words, EPITAPH_MESSAGE_LIMIT, count, name);
    if (length == 0) return;
    epitaph_text_append(words, EPITAPH_MESSAGE_LIMIT, count, ": ");
    epitaph_text_append(words, EPITAPH_MESSAGE_LIMIT, count, text);
}

void epitaph_handled_exception_write(epitaph_capture *capture) {
    cxx_object object, inner;
    if (!find(&object)) return;
    char *words = (char *)capture->scratch;
    size_t count = 0;
    append_exception(words, &count, &object);
    if (count == 0) return;
    for (int i = 0; i < MOST_NESTED && find_nested(&object, &inner); i++) {
        epitaph_text_append(words, EPITAPH_MESSAGE_LIMIT, &count,
                            "; it was thrown while handling ");
        append_exception(words, &count, &inner);
        object = inner;
    }
    epitaph_writer *writer = &capture->writer;
    epitaph_writer_map_start(writer, EPITAPH_KEY_MESSAGES);
    epitaph_writer_text(writer, EPITAPH_KEY_MESSAGE_SOURCE, "c++ handled", 32);
    epitaph_writer_bytes(writer, EPITAPH_KEY_MESSAGE_TEXT, words, count);
    epitaph_writer_end(writer);
}
