// SPDX-License-Identifier: Apache-2.0
//
// Says whether what C++ allocates is sampled, when all is, and that exceptions and threads work.

#include <malloc.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

int main() {
    int sampled = 0;
    auto ask = [&](const void *block, std::size_t size) {
        if (malloc_usable_size(const_cast<void *>(block)) == size) sampled++;
    };
    std::unique_ptr<char[]> array(new char[10007]);
    ask(array.get(), 10007);
    std::unique_ptr<int> number(new int(3));
    ask(number.get(), sizeof(int));
    std::vector<char> bytes(101);
    ask(bytes.data(), 101);
    std::string text(102, 'x');
    ask(text.data(), 103);
    std::string caught;
    std::thread([&] {
        try {
            throw std::runtime_error(text);
        } catch (const std::exception &error) {
            caught = error.what();
        }
    }).join();
    std::printf("%d of 4, %s\n", sampled, caught == text ? "caught" : "not caught");
}
