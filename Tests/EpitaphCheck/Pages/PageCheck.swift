// SPDX-License-Identifier: Apache-2.0
//
// EpitaphCheck pages DIRECTORY [DUMP...]: writes NAME.html and NAME.json into DIRECTORY for each file,
// a minidump or an intermediate dump, and for made-up processes: `hostile` with markup and control
// characters in every text, `crowded` with 1,000 threads that all do something else, `empty` about
// which nothing is known; and for made-up weeks of a fleet (MadeUpWeeks.swift).
// Scripts/html-check looks at them with a browser.

import EpitaphExplanation
import EpitaphFleet
import EpitaphIntermediateDump
import EpitaphMinidump
import EpitaphPages
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation

enum PageCheck {
    static func run(_ arguments: [String]) throws {
        guard arguments.count > 1 else {
            FileHandle.standardError.write(
                Data("usage: EpitaphCheck pages DIRECTORY [DUMP...]\n".utf8))
            exit(2)
        }
        let directory = arguments[1]
        for path in arguments.dropFirst(2) {
            let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
            try write(
                CrashExplanation(snapshot(at: path), images: InstalledImages()), to: name,
                in: directory)
        }
        try write(MadeUp.hostile, to: "hostile", in: directory)
        try write(MadeUp.crowded, to: "crowded", in: directory)
        try write(
            CrashExplanation(ProcessSnapshot(architecture: .aarch64), stacks: []), to: "empty",
            in: directory)
        for (name, page) in MadeUpWeeks.pages {
            try Data(page.text.utf8)
                .write(to: URL(fileURLWithPath: directory).appendingPathComponent(name + ".html"))
        }
    }

    private static func snapshot(at path: String) throws -> ProcessSnapshot {
        let bytes = ByteSlice(Array(try Data(contentsOf: URL(fileURLWithPath: path))))
        guard bytes.slice(from: 0, length: 4) == ByteSlice(Array("MDMP".utf8)) else {
            return try IntermediateDump(bytes).snapshot
        }
        return try MinidumpReader.read(bytes).snapshot
    }

    private static func write(
        _ explanation: CrashExplanation, to name: String, in directory: String
    ) throws {
        let base = URL(fileURLWithPath: directory).appendingPathComponent(name)
        try Data(HTMLReport(explanation).text.utf8)
            .write(to: base.appendingPathExtension("html"))
        try Data(JSONReport(explanation).text.utf8)
            .write(to: base.appendingPathExtension("json"))
    }
}
