// SPDX-License-Identifier: Apache-2.0
//
// The same as errors.c for C++.

#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define APART __attribute__((noinline))

namespace {

volatile long sink;

struct Session {
    virtual ~Session() = default;
    virtual long age() const {
        return created;
    }
    long created = 11;
    char name[48] = {};
};

struct Timed : Session {
    long age() const override {
        return created * 2;
    }
};

APART Session *open_session() {
    return new Timed;
}
APART void close_session(Session *session) {
    delete session;
}
APART void ask_age(Session *session) {
    sink = session->age();
}
APART void read_created(Session *session) {
    sink = *(volatile long *)&session->created;
}

APART int *make_numbers(int count) {
    return new int[count];
}
APART void drop_numbers(int *numbers) {
    delete[] numbers;
}
APART void set_number(int *numbers, int index) {
    ((volatile int *)numbers)[index] = 5;
}

APART std::vector<long> fill_vector(int count) {
    return std::vector<long>(count, 9);
}
APART void read_element(const std::vector<long> &vector, int index) {
    sink = *(const volatile long *)(vector.data() + index);
}

APART std::unique_ptr<Session> make_unique_session() {
    return std::make_unique<Timed>();
}
APART void grow(std::vector<long> &vector) {
    vector.reserve(vector.capacity() * 4);
}
APART void read_kept(const long *kept) {
    sink = *(const volatile long *)kept;
}

void deleted_object() {
    Session *session = open_session();
    close_session(session);
    read_created(session);
}
void deleted_virtual() {
    Session *session = open_session();
    close_session(session);
    ask_age(session);
}
void deleted_array() {
    int *numbers = make_numbers(24);
    drop_numbers(numbers);
    set_number(numbers, 3);
}
void behind_array() {
    set_number(make_numbers(32), 32);
}
void before_array() {
    set_number(make_numbers(16), -1);
}
void behind_vector() {
    read_element(fill_vector(20), 20);
}
void kept_over_growth() {
    std::vector<long> vector = fill_vector(16);
    const long *kept = vector.data() + 2;
    grow(vector);
    read_kept(kept);
}
void deleted_unique() {
    Session *kept;
    {
        auto session = make_unique_session();
        kept = session.get();
    }
    read_created(kept);
}
void deleted_twice() {
    int *numbers = make_numbers(10);
    drop_numbers(numbers);
    drop_numbers(numbers);
}
void deleted_inside() {
    drop_numbers(make_numbers(40) + 4);
}

struct Case {
    const char *name;
    void (*run)();
};
#define CASE(name) \
    { #name, name }
const Case cases[] = {
    CASE(deleted_object), CASE(deleted_virtual), CASE(deleted_array),    CASE(behind_array),
    CASE(before_array),   CASE(behind_vector),   CASE(kept_over_growth), CASE(deleted_unique),
    CASE(deleted_twice),  CASE(deleted_inside),
};

}  // namespace

int main(int count, char **arguments) {
    for (const Case &each : cases) {
        if (count == 1) std::puts(each.name);
        if (count == 2 && std::strcmp(arguments[1], each.name) == 0) each.run();
    }
}
