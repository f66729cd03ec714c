// SPDX-License-Identifier: Apache-2.0

import Epitaph
import EpitaphTestSupport
import Foundation

/// Has blocks of code checked by what will read them: compilers, dump-convert, a configuration.
/// Each answers with complaints that name page, line and question.
enum PageCompiler {
    static func complaints(_ blocks: [PageBlock]) throws -> [String] {
        let groups = Dictionary(grouping: blocks, by: \.language)
        let swift = groups["swift"] ?? []
        return try self.swift(swift.filter { !$0.isManifest })
            + manifests(swift.filter { $0.isManifest }) + c(groups["c"] ?? [])
            + (groups["sh"] ?? []).flatMap(shell) + (groups["conf"] ?? []).flatMap(configuration)
    }

    /// Where the compiler finds the modules of this build.
    static func moduleOptions() throws -> [String] {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Products.directory)
        let made = folders.filter { $0.hasSuffix(".build") }
            .map { "\(Products.directory)/\($0)/module.modulemap" }
        let sources = Products.packageRoot + "/Sources"
        let zlib = sources + "/System/CEpitaphZlib/module.modulemap"
        let maps = (made + [zlib]).filter { FileManager.default.fileExists(atPath: $0) }
        return ["-I", Products.directory + "/Modules"]
            + maps.flatMap { ["-Xcc", "-fmodule-map-file=" + $0] }
            + ["-Xcc", "-I\(sources)/Capture/CEpitaphFormat/include"]
    }

    static func swift(_ blocks: [PageBlock]) throws -> [String] {
        guard !blocks.isEmpty else { return [] }
        let directory = try TemporaryDirectory()
        let files = try blocks.enumerated().map { index, block in
            try directory.write(
                Array(block.swiftFile(number: index).utf8), to: "block\(index).swift")
        }
        let result = try Subprocess.run(
            ["swiftc", "-typecheck", "-wmo", "-swift-version", "6", "-suppress-warnings"]
                + ["-parse-as-library", "-module-name", "Pages"] + moduleOptions() + files,
            deadlineSeconds: 120)
        return complaints(result, blocks)
    }

    /// As the package manager compiles them: each is a program.
    static func manifests(_ blocks: [PageBlock]) throws -> [String] {
        try blocks.flatMap { block in
            let directory = try TemporaryDirectory()
            let version = block.code[0].split(separator: " ").last.map(String.init) ?? ""
            let result = try Subprocess.run([
                "swiftc", "-typecheck", "-swift-version", "6",
                "-package-description-version", version + ".0",
                "-I", (Toolchain.directory ?? "") + "/../lib/swift/pm/ManifestAPI",
                try directory.write(Array(block.swiftFile(number: 0).utf8), to: "main.swift"),
            ])
            return complaints(result, [block])
        }
    }

    static func c(_ blocks: [PageBlock]) throws -> [String] {
        guard !blocks.isEmpty else { return [] }
        let directory = try TemporaryDirectory()
        let files = try blocks.enumerated().map { index, block in
            try directory.write(Array(block.cFile().utf8), to: "block\(index).c")
        }
        let result = try Subprocess.run(
            ["clang", "-fsyntax-only", "-std=gnu17", "-Wall", "-Wextra", "-Werror"]
                + Products.cHeaderOptions + files)
        return complaints(result, blocks)
    }

    /// Messages begin with the page and the line, as the files say.
    private static func complaints(_ result: Subprocess, _ blocks: [PageBlock]) -> [String] {
        guard result.ending != .exited(0) else { return [] }
        let errors = result.standardError.split(separator: "\n").filter {
            $0.firstMatch(of: #/^\S.*:\d+:\d+: (fatal )?error: /#) != nil
        }
        let named = errors.map { error in
            let parts = error.split(separator: ":")
            let line = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
            let block = blocks.last { parts[0].hasSuffix($0.page) && $0.line <= line }
            return "\(block?.question ?? "?"): \(error)"
        }
        return named.isEmpty ? ["\(result.ending): \(result.standardError)"] : named
    }

    /// Every option of a line for dump-convert has to be in that command's help.
    static func shell(_ block: PageBlock) throws -> [String] {
        try block.code.flatMap { line -> [String] in
            let words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
            guard words.first == "dump-convert", words.count > 1 else {
                return ["\(block.place): no line for dump-convert: \(line)"]
            }
            let help = try Subprocess.run(
                [Products.executable("dump-convert"), words[1], "--help"])
            guard help.ending == .exited(0) else {
                return ["\(block.place): no command \(words[1])"]
            }
            let known = help.standardOutput.split { " ,\n".contains($0) }
            return words.filter { $0.hasPrefix("-") && !known.contains($0[...]) }
                .map { "\(block.place): dump-convert \(words[1]) has no \($0)" }
        }
    }

    static func configuration(_ block: PageBlock) throws -> [String] {
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            Array(block.code.joined(separator: "\n").utf8), to: "page.conf")
        return Epitaph.Configuration(databasePath: "/nowhere", bundleID: "org.example.pages")
            .applying(fileAt: file).problems.map { "\(block.place): \($0.reason)" }
    }
}

extension PageBlock {
    private static let declarations = [
        "extension ", "@main", "actor ", "enum ", "final class ", "func ", "protocol ", "struct ",
    ]

    var isManifest: Bool { code.contains("import PackageDescription") }

    private static func declares(_ line: String) -> Bool {
        declarations.contains { line.hasPrefix($0) }
    }

    /// A file with the block in a function of its own; one that has an extension, and a manifest,
    /// stand by themselves.
    func swiftFile(number: Int) -> String {
        var (imports, outside, inside) = ([String](), [String](), [String]())
        var isOutside = false
        for line in given {
            if line.hasPrefix("import ") {
                imports.append(line)
                continue
            }
            if line.first?.isLetter == true { isOutside = Self.declares(line) }
            if isOutside {
                outside.append(Self.declares(line) ? "private " + line : line)
            } else {
                inside.append(line)
            }
        }
        imports += code.filter { $0.hasPrefix("import ") }
        if !isManifest { imports.append("import Epitaph") }
        // Blank, so that the lines keep their numbers.
        let body = code.map { $0.hasPrefix("import ") ? "" : $0 }
        let located =
            ["#sourceLocation(file: \"\(page)\", line: \(line))"] + body
            + ["#sourceLocation()"]
        let standsAlone = isManifest || body.contains { $0.hasPrefix("extension ") }
        let function = ["func block\(number)() async throws {"] + inside + located + ["}"]
        return (imports + outside + (standsAlone ? located : function) + [""])
            .joined(separator: "\n")
    }

    /// The same in C: a block that defines functions stands by itself.
    func cFile() -> String {
        let usual = ["#include <epitaph.h>", "#include <stdio.h>"]
        let imports = usual + (given + code).filter { $0.hasPrefix("#include") }
        let body = code.map { $0.hasPrefix("#include") ? "" : $0 }
        let located = ["#line \(line) \"\(page)\""] + body
        let standsAlone =
            body.contains { $0.first?.isLetter == true && $0.hasSuffix(") {") }
            && body.contains("}")
        let outside = given.filter { !$0.hasPrefix("#include") }
        let function = ["void block(void);", "void block(void) {"] + located + ["}"]
        return (imports + outside + (standsAlone ? located : function) + [""])
            .joined(separator: "\n")
    }
}
