// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

struct InstalledImagesTests {
    private func module(_ path: String, buildID: [UInt8] = [1, 2, 3]) -> ModuleSnapshot {
        var module = ModuleSnapshot(path: path, addressRange: 0x1000..<0x2000, kind: .sharedObject)
        module.buildID = buildID
        return module
    }

    @Test("A module whose file is gone, is no ELF file or has no build id says so")
    func problems() throws {
        let directory = try TemporaryDirectory()
        let text = try directory.write(Array("no ELF".utf8), to: "text")
        let images = InstalledImages()
        let gone = directory.path("gone")
        #expect(images.images(for: module(gone)).problem == .notFound(path: gone))
        #expect(
            images.images(for: module(gone + " (deleted)")).problem == .notFound(path: gone))
        #expect(
            images.images(for: module(text)).problem
                == .unreadable(path: text, reason: "this is not an ELF file"))
        #expect(
            images.images(for: module(text, buildID: [])).problem
                == .unreadable(path: text, reason: "this is not an ELF file"))
        guard case .unreadable = images.images(for: module(directory.path)).problem else {
            Issue.record("a directory was taken for a file")
            return
        }
    }

    @Test("A library named by its soname alone is found where libraries are, by its build id")
    func soname() throws {
        let path = Machine.own.libc
        let bytes = ByteSlice(Array(try Data(contentsOf: URL(fileURLWithPath: path))))
        let buildID = try ELFImage(bytes).buildID
        let found = InstalledImages().images(for: module("libc.so.6", buildID: buildID))
        #expect(found.code?.path == path)
        #expect(found.problem == nil)
        let other = InstalledImages().images(for: module("libc.so.6"))
        #expect(other.code == nil)
        #expect(other.problem == .notFound(path: "libc.so.6"))
    }

    @Test("A replaced file is told with both build ids")
    func replacedFile() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile([], in: directory)
        let found = InstalledImages().images(for: module(program))
        #expect(found.code == nil)
        let sentence = try #require(found.problem).description
        #expect(sentence.contains("is not the file that was loaded"))
        #expect(sentence.contains("the process had 010203"))
    }

    @Test("A file is found through a symbolic link, as libraries are loaded")
    func symbolicLink() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile([], in: directory)
        let link = directory.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: program)
        let bytes = ByteSlice(Array(try Data(contentsOf: URL(fileURLWithPath: program))))
        let buildID = try ELFImage(bytes).buildID
        let found = InstalledImages().images(for: module(link, buildID: buildID))
        #expect(found.code?.image.buildID == buildID)
        #expect(found.problem == nil)
    }
}
