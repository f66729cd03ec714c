// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct FullDiskTests {
    /// Runs the dummy with its database on a disk of its own, and returns how it ended and what it
    /// left. The disk is a tmpfs in a mount namespace, which goes with the process.
    static func run(diskBytes: Int, threads: Int, _ settings: [String]) throws
        -> (result: Subprocess, dump: IntermediateDump?)
    {
        let directory = try TemporaryDirectory()
        for name in ["disk", "kept"] {
            try FileManager.default.createDirectory(
                atPath: directory.path(name), withIntermediateDirectories: false)
        }
        let script = """
            mount -t tmpfs -o size=$1 none disk || exit 79
            shift
            "$@"
            ending=$?
            cp disk/db/pending-dumps/* kept || exit 79
            exit $ending
            """
        let result = try Subprocess.run(
            [
                "unshare", "-m", "sh", "-c", "cd \(directory.path("")) && " + script, "sh",
                "\(diskBytes)", Victim.c.path, "disk/db", "null-write", "\(threads)",
            ] + settings)
        let kept = try FileManager.default.contentsOfDirectory(atPath: directory.path("kept"))
        let sealed = kept.filter { !$0.hasSuffix(".locked") }
        let bytes = sealed.first.flatMap {
            FileManager.default.contents(atPath: directory.path("kept/" + $0))
        }
        #expect(kept.count == 1)
        return (result, try bytes.map { try IntermediateDump(ByteSlice(Array($0))) })
    }

    @Test("A disk that fills after the start loses nothing of a dump that fits the reservation")
    func fillsLater() throws {
        let (result, dump) = try Self.run(
            diskBytes: 4 << 20, threads: 20, ["full-disk", "patient"])
        #expect(result.ending == .exited(128 + SIGSEGV))
        #expect(dump?.isComplete == true)
        #expect(dump?.snapshot.threads.count == 21)
    }

    @Test("On a disk that is too small for the reservation as much as there is gets reserved")
    func tooSmall() throws {
        let (result, dump) = try Self.run(diskBytes: 64 << 10, threads: 0, ["full-disk"])
        #expect(result.ending == .exited(128 + SIGSEGV))
        #expect(dump?.snapshot.exception?.signal == SIGSEGV)
        #expect(dump?.snapshot.crashingThread?.stack != nil)
        #expect(dump?.snapshot.modules.isEmpty == false)
    }

    @Test("A disk with a few pages keeps neither the program from starting nor it from dying")
    func tiny() throws {
        let (result, dump) = try Self.run(diskBytes: 8 << 10, threads: 2, [])
        #expect(result.ending == .exited(128 + SIGSEGV))
        #expect(dump?.isComplete == false)
        #expect(dump?.snapshot.exception?.signal == SIGSEGV)
    }

    @Test("With a hard limit on file sizes of 0 the process dies of its crash, in one go")
    func hardFileSize() throws {
        for (way, signal) in [("null-write", SIGSEGV), ("abort", SIGABRT)] {
            let run = try Dummy(way, threads: 2, ["hard-file-size"])
            #expect(run.result.ending == .signalled(signal))
            #expect(run.files.count == 1)
        }
    }

    @Test("A file size limit of 0 at the start is said in a sentence, and the program can go on")
    func fileSizeAtStart() throws {
        let directory = try TemporaryDirectory()
        let script = "(ulimit -f 0; \"$@\" 2>&1; echo $?) | cat"
        let result = try Subprocess.run([
            "bash", "-c", script, "bash", Victim.c.path, directory.path("db"), "abort",
        ])
        #expect(
            result.standardOutput
                == "the file size limit of the process allows no dump file: File too large\n70\n")
    }

    @Test("A database that is removed while the program runs stays removed, and the death is right")
    func removed() throws {
        let run = try Dummy("abort", threads: 2, ["no-database"])
        #expect(run.result.ending == .signalled(SIGABRT))
        #expect(!FileManager.default.fileExists(atPath: run.directory.path("db")))
    }

    @Test(
        "A worker without blocks of its own dies of what it dies of on a full disk",
        .enabled(
            if: getuid() == 0 && FileManager.default.fileExists(atPath: "/dev/loop-control"),
            "only root can mount an image, where there are loop devices, and become another user"),
        arguments: ["1024", "4096"])
    func worker(_ blockBytes: String) throws {
        let directory = try TemporaryDirectory()
        let script = """
            truncate -s 16M image && mkfs.ext4 -q -F -b "$1" image && mkdir disk || exit 77
            mount -o loop image disk || exit 78
            shift
            "$@"
            """
        let result = try Subprocess.run([
            "unshare", "-m", "sh", "-c", "cd \(directory.path("")) && " + script, "sh", blockBytes,
            Victim.c.path, "disk/db", "worker-on-full-disk", "0",
        ])
        #expect(result.ending == .exited(40 + SIGABRT))
    }
}
