// SPDX-License-Identifier: Apache-2.0

/// Default arguments: ISO C++ 20, [containers], [strings], [iostreams], [smartptr].
enum CxxDefaults {
    static func count(of template: String, _ arguments: [String]) -> Int {
        guard template.hasPrefix("std::"), let defaults = defaults[template.dropFirst(5)],
            let first = arguments.first
        else { return 0 }
        let second = arguments.count > 1 ? arguments[1] : ""
        var count = 0
        while count < arguments.count - 1 {
            let index = arguments.count - 1 - count
            guard defaults.indices.contains(index), let usual = defaults[index],
                usual(first, second).contains(arguments[index])
            else { break }
            count += 1
        }
        return count
    }

    /// The standard library's typedef for a template with these arguments.
    static func word(for template: String, _ arguments: [String]) -> String? {
        guard arguments.count == 1, template.hasPrefix("std::basic_") else { return nil }
        let rest = template.dropFirst("std::basic_".count)
        guard streams.contains(rest) || rest == "string" || rest == "string_view" else {
            return nil
        }
        // Streams have names for two character types only.
        let prefixes = ["char": "", "wchar_t": "w"]
        let more = ["char8_t": "u8", "char16_t": "u16", "char32_t": "u32"]
        let prefix = prefixes[arguments[0]] ?? (streams.contains(rest) ? nil : more[arguments[0]])
        return prefix.map { "std::\($0)\(rest)" }
    }

    /// An argument's defaults, from the first two arguments.
    private typealias Usual = @Sendable (String, String) -> [String]

    private static let allocator: Usual = { first, _ in ["std::allocator<\(first)>"] }
    /// A map's keys are constant; demanglers write `const` on either side.
    private static let pairAllocator: Usual = { key, value in
        ["\(key) const", "const \(key)"].map { "std::allocator<std::pair<\($0), \(value)>>" }
    }
    /// For trees, whose second argument is the element.
    private static let elementAllocator: Usual = { _, element in ["std::allocator<\(element)>"] }
    private static let traits: Usual = { first, _ in ["std::char_traits<\(first)>"] }
    private static let less: Usual = { first, _ in ["std::less<\(first)>"] }
    private static let hash: Usual = { first, _ in ["std::hash<\(first)>"] }
    private static let equal: Usual = { first, _ in ["std::equal_to<\(first)>"] }
    private static let deleter: Usual = { first, _ in ["std::default_delete<\(first)>"] }
    private static let queue: Usual = { first, _ in ["std::deque<\(first)>"] }
    private static let vector: Usual = { first, _ in ["std::vector<\(first)>"] }
    private static let extent: Usual = { _, _ in
        ["18446744073709551615ul", "18446744073709551615"]
    }
    private static let second: Usual = { _, _ in ["std::ratio<1l, 1l>"] }

    private static let streams: Set<Substring> = [
        "ios", "streambuf", "istream", "ostream", "iostream", "stringbuf", "istringstream",
        "ostringstream", "stringstream", "filebuf", "ifstream", "ofstream", "fstream",
    ]

    private static let defaults: [Substring: [Usual?]] = {
        var table: [Substring: [Usual?]] = [
            "map": [nil, nil, less, pairAllocator], "multimap": [nil, nil, less, pairAllocator],
            "set": [nil, less, allocator], "multiset": [nil, less, allocator],
            "unordered_map": [nil, nil, hash, equal, pairAllocator],
            "unordered_multimap": [nil, nil, hash, equal, pairAllocator],
            "unordered_set": [nil, hash, equal, allocator],
            "unordered_multiset": [nil, hash, equal, allocator],
            "unique_ptr": [nil, deleter], "stack": [nil, queue], "queue": [nil, queue],
            "priority_queue": [nil, vector, less], "span": [nil, extent],
            "basic_string": [nil, traits, allocator], "basic_string_view": [nil, traits],
            "istreambuf_iterator": [nil, traits], "ostreambuf_iterator": [nil, traits],
            "chrono::duration": [nil, second],
            "_Rb_tree": [nil, nil, nil, less, elementAllocator],
        ]
        // libstdc++ builds the others from those with an underscore.
        for name: Substring in [
            "vector", "deque", "list", "forward_list", "_Vector_base", "_Deque_base", "_List_base",
            "_Fwd_list_base",
        ] {
            table[name] = [nil, allocator]
        }
        for name in streams {
            table["basic_\(name)"] =
                name.hasPrefix("string") || name.hasSuffix("stringstream")
                ? [nil, traits, allocator] : [nil, traits]
        }
        return table
    }()
}
