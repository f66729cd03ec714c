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

enum { NAME_SIZE = 512, TEXT_SIZE = 512, MOST_BASES = 8 };

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

/// The type of the first base class if the object begins with it, otherwise 0: ABI 2.9.5. The word
/// before a virtual table's functions is the type of its class.
static uint64_t first_base(uint64_t type) {
    char kind[NAME_SIZE];
    uint64_t functions = word_at(type);
    if (functions == 0 || read_name(kind, word_at(functions - 8)) == 0) return 0;
    if (is_equal(kind, "N10__cxxabiv120__si_class_type_infoE")) return word_at(type + 16);
    if (!is_equal(kind, "N10__cxxabiv121__vmi_class_type_infoE")) return 0;
    // Flags and number of bases; then of each base its type, and its offset above eight flags, of
    // which the lowest is set for a virtual base.
    uint64_t place = word_at(type + 32);
    return place >> 8 == 0 && (place & 1) == 0 ? word_at(type + 24) : 0;
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

/// Integers: ABI 5.1.5. Returns the length of the digits.
static size_t write_number(char *text, const cxx_object *object, const char *name) {
    static const char types[] = "ijlmxy";
    size_t index = 0;
    while (types[index] != 0 && types[index] != name[0])
        index++;
    if (types[index] == 0 || name[1] != 0) return 0;
    uint64_t number = word_at(object->address);
    bool is_signed = index % 2 == 0;
    if (index < 2) number = is_signed ? (uint64_t)(int64_t)(int32_t)number : (uint32_t)number;
    size_t length = 0;
    if (is_signed && (int64_t)number < 0) {
        epitaph_text_append(text, TEXT_SIZE, &length, "-");
        number = -number;
    }
    epitaph_text_append_number(text, TEXT_SIZE, &length, number);
    return length;
}

void epitaph_handled_exception_write(epitaph_capture *capture) {
    cxx_object object;
    char name[NAME_SIZE], text[TEXT_SIZE];
    if (!find(&object) || read_name(name, object.type) == 0) return;
    size_t length = write_number(text, &object, name);
    if (length == 0) length = read_text(text, &object, name);
    char *words = (char *)capture->scratch;
    size_t count = 0;
    epitaph_text_append(words, EPITAPH_MESSAGE_LIMIT, &count, name);
    if (length > 0) {
        epitaph_text_append(words, EPITAPH_MESSAGE_LIMIT, &count, ": ");
        epitaph_text_append(words, EPITAPH_MESSAGE_LIMIT, &count, text);
    }
    epitaph_writer *writer = &capture->writer;
    epitaph_writer_map_start(writer, EPITAPH_KEY_MESSAGES);
    epitaph_writer_text(writer, EPITAPH_KEY_MESSAGE_SOURCE, "c++ handled", 32);
    epitaph_writer_bytes(writer, EPITAPH_KEY_MESSAGE_TEXT, words, count);
    epitaph_writer_end(writer);
}
