// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphSymbols

@Suite("Short names of functions")
struct ShortFunctionNameTests {
    private func short(_ rawName: String) -> String {
        ShortFunctionName.shortened(Demangler.demangle(rawName), rawName: rawName)
    }

    @Test(
        "Swift's names are what the author of a function wrote",
        arguments: [
            ("$s4main3fooyyF", "foo()"),
            ("$s3sw47LibraryC3addySiAA4BookVYaFTY0_", "Library.add(_:)"),
            ("$s1t1SV1hySixFySWXEfU_TA", "closure #1 in S.h(_:)"),
            ("$sSayxSicigSi_Tg5", "Array.subscript.getter"),
            ("$sSS2eeoiySbSS_SStFZ", "static String.==(_:_:)"),
            (
                "$ss17_assertionFailure__4file4line5flagss5NeverOs12StaticStringV_SSAHSus6UInt32VtF",
                "_assertionFailure(_:_:file:line:flags:)"
            ),
            // One body for several functions, of which any may have been called.
            ("$s4main6strUnwSiyFTm", "merged strUnw()"),
            ("main", "main"), ("async_MainTQ0_", "async_MainTQ0_"),
        ])
    func swift(raw: String, expected: String) {
        #expect(short(raw) == expected)
    }

    @Test(
        "C++'s names lose default arguments, inline namespaces and ABI tags",
        arguments: [
            (
                "std::vector<int, std::allocator<int> >::push_back(int&&)",
                "std::vector<int>::push_back(int&&)"
            ),
            (
                "load(std::__cxx11::basic_string<char, std::char_traits<char>, "
                    + "std::allocator<char> > const&)", "load(std::string const&)"
            ),
            (
                "std::__1::basic_string<wchar_t, std::__1::char_traits<wchar_t>, "
                    + "std::__1::allocator<wchar_t>>::at(unsigned long)",
                "std::wstring::at(unsigned long)"
            ),
            (
                "std::map<int, std::vector<long, std::allocator<long> >, std::less<int>, "
                    + "std::allocator<std::pair<int const, std::vector<long, "
                    + "std::allocator<long> > > > >::at(int const&)",
                "std::map<int, std::vector<long>>::at(int const&)"
            ),
            (
                "std::_Rb_tree<Key, Key, std::_Identity<Key>, std::less<Key>, "
                    + "std::allocator<Key> >::clear()",
                "std::_Rb_tree<Key, Key, std::_Identity<Key>>::clear()"
            ),
            (
                "std::unique_ptr<Job, std::default_delete<Job> >::reset(Job*)",
                "std::unique_ptr<Job>::reset(Job*)"
            ),
            (
                "std::vector<int, Arena<int> >::size() const",
                "std::vector<int, Arena<int>>::size() const"
            ),
            (
                "mine::vector<int, std::allocator<int> >::f()",
                "mine::vector<int, std::allocator<int>>::f()"
            ),
            ("name[abi:cxx11](int)", "name(int)"),
            (
                "std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, "
                    + "char const*)",
                "std::ostream& std::operator<< <std::char_traits<char>>(std::ostream&, char const*)"
            ),
            ("Money::operator<(Money const&) const", "Money::operator<(Money const&) const"),
            ("Pointer::operator->()", "Pointer::operator->()"),
            (
                "run()::{lambda(std::vector<int, std::allocator<int> >)#1}::operator()() const",
                "run()::{lambda(std::vector<int>)#1}::operator()() const"
            ),
            ("auto pick<(3 < 4)>(int) -> int", "auto pick<(3 < 4)>(int) -> int"),
            ("work(int) [clone .isra.0] [clone .cold]", "work(int)"),
            ("work(int) (.llvm.1234)", "work(int)"), ("work.part.0", "work"),
            ("std::chrono::_V2::steady_clock::now()", "std::chrono::steady_clock::now()"),
            (
                "std::__n4861::coroutine_handle<Job>::resume()",
                "std::coroutine_handle<Job>::resume()"
            ),
            // GCC's function for a coroutine's body.
            (
                "spool::load(spool::load(int, char*)::_ZN5spool4loadEiPc.Frame*) [clone .actor]",
                "spool::load(int, char*)"
            ),
            ("load(load()::_Z4loadv.Frame*)", "load()"),
            ("spool::load(spool::_ZN5spool4loadEi.Frame*)", "spool::load(int)"),
            ("load(_Z4loadv.Frame*)", "load()"),
            ("load(_Z5storei.Frame*)", "load(_Z5storei.Frame*)"),
            ("load(Other.Frame*)", "load(Other.Frame*)"),
            ("load(store(int)::_Z5storei.Frame*)", "load(store(int)::_Z5storei.Frame*)"),
            // What is no name of C++ stays.
            ("memcpy@plt", "memcpy@plt"), ("a < b", "a < b"), ("f<g", "f<g"), ("f>g", "f>g"),
            ("core::ops::function::FnOnce::call_once", "core::ops::function::FnOnce::call_once"),
            ("<T as core::fmt::Debug>::fmt", "<T as core::fmt::Debug>::fmt"),
            ("libfoo.so.6", "libfoo.so.6"), ("", ""), ("[", "["),
        ])
    func cxx(whole: String, expected: String) {
        #expect(ShortFunctionName.shortened(whole, rawName: nil) == expected)
    }

    @Test(
        "A template's name begins with itself, not with the type of its result",
        arguments: [
            ("void run<int>(int)", "run<int>(int)"),
            ("unsigned long const& std::max<unsigned long>(int)", "std::max<unsigned long>(int)"),
            (
                "decltype (::new ((void*)(0)) Row((declval<int>)())) std::construct_at<Row, int>(int)",
                "std::construct_at<Row, int>(int)"
            ),
            (
                "one(int)::{lambda(R&)#1} std::for_each<R*, one(int)::{lambda(R&)#1}>(R*, R*)",
                "std::for_each<R*, one(int)::{lambda(R&)#1}>(R*, R*)"
            ),
            (
                "std::ostream& std::operator<< <char>(std::ostream&, char const*)",
                "std::operator<< <char>(std::ostream&, char const*)"
            ),
            ("bool A::operator()<int>(int) const", "A::operator()<int>(int) const"),
            (
                "int (anonymous namespace)::tidy<double>(double)",
                "(anonymous namespace)::tidy<double>(double)"
            ),
            // Nothing comes before these.
            ("Money::operator bool() const", "Money::operator bool() const"),
            ("operator new(unsigned long)", "operator new(unsigned long)"),
            ("operator\"\" _km(long double)", "operator\"\" _km(long double)"),
            (
                "main::{lambda(N*)#1}::operator()(N*) const",
                "main::{lambda(N*)#1}::operator()(N*) const"
            ),
            ("Till::count() const", "Till::count() const"),
            ("non-virtual thunk to Till::count()", "non-virtual thunk to Till::count()"),
            // Its result is written around it.
            ("void (*pick<int>(int))(char)", "void (*pick<int>(int))(char)"),
        ])
    func results(whole: String, expected: String) {
        #expect(ShortFunctionName.shortened(whole, rawName: "_Z") == expected)
    }

    @Test("Any text has a short name, however it nests")
    func hostile() {
        var random = SplitMix(state: 10)
        let pieces = ["<", ">", "(", ")", ",", "std::vector", "operator", "->", " ", "[abi:", "x"]
        for _ in 0..<2_000 {
            let text = (0..<40).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
                .joined()
            #expect(
                ShortFunctionName.shortened(text, rawName: nil).utf8.count <= text.utf8.count + 8)
            #expect(
                ShortFunctionName.shortened(text, rawName: "_Z").utf8.count <= text.utf8.count + 8)
        }
        let deep = String(repeating: "a<", count: 5_000)
        #expect(ShortFunctionName.shortened(deep, rawName: nil) == deep)
    }

    @Test("Swift's short names are those that `swift demangle --simplified` prints")
    func agreement() throws {
        // The tests' own program: it has the standard library in it as well.
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let listed = try Subprocess.run(["/usr/bin/env", "nm", "--defined-only", program])
        let names = listed.standardOutput.split(separator: "\n").compactMap {
            $0.split(separator: " ").last.map(String.init)
        }.filter { $0.hasPrefix("$s") }
        // Of some 100,000 enough that all kinds of functions are among them.
        let chosen = stride(from: 0, to: names.count, by: max(names.count / 4_000, 1))
            .map { names[$0] }
        try #require(chosen.count > 500)
        let directory = try TemporaryDirectory()
        let list = try directory.write(
            Array(chosen.joined(separator: "\n").utf8), to: "names")
        let printed = try Subprocess.run([
            "/bin/sh", "-c", "swift demangle -compact -simplified < \(list)",
        ])
        let theirs = printed.standardOutput.split(
            separator: "\n", omittingEmptySubsequences: false)
        var different: [String] = []
        for (name, text) in zip(chosen, theirs) where text != name {
            var expected = String(text)
            // What we leave out besides: words for what the compiler made of a function.
            var changed = true
            while changed {
                changed = false
                for prefix in ["specialized ", "partial apply for ", "merged ", "@objc "]
                where expected.hasPrefix(prefix) {
                    expected.removeFirst(prefix.count)
                    changed = true
                }
            }
            for kind in [" infix(", " prefix(", " postfix("] {
                if let found = expected.firstRange(of: kind) {
                    expected.replaceSubrange(found, with: "(")
                }
            }
            // The tool says so of some kinds only.
            if name.hasSuffix("Tm") { expected = "merged \(expected)" }
            if short(name) != expected { different.append("\(name): \(short(name)) | \(expected)") }
        }
        #expect(different == [])
    }
}
