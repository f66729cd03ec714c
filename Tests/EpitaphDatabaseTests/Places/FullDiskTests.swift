// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// A database on a disk of its own, a tmpfs in a mount namespace, which goes with the process.
@Suite struct FullDiskTests {
    private let ids = (1...2).map { "\($0)1111111-2222-4333-8444-555555555555" }

    @Test(
        "On a full disk with so many pages left nothing is lost, and with room everything goes on",
        arguments: 0..<9)
    func pagesLeft(pages: Int) throws {
        let directory = try TemporaryDirectory()
        for name in ["disk", "kept"] {
            #expect(mkdir(directory.path(name), 0o700) == 0)
        }
        // Fills the disk but for some pages, tries, makes room and tries again.
        let script = """
            mount -t tmpfs -o size=1m none disk || exit 79
            victim="$1 $2" first=$3 second=$4 pages=$5
            $victim disk/db file $first && $victim disk/db consent || exit 1
            dd if=/dev/zero of=disk/rest bs=4096 count=$pages 2> errors || exit 2
            cat /dev/zero > disk/filler 2> errors
            rm disk/rest
            echo full
            $victim disk/db file $second
            $victim disk/db send $first
            $victim disk/db list
            rm disk/filler
            echo room
            EPITAPH_LAB_AHEAD=200 $victim disk/db file $second
            EPITAPH_LAB_AHEAD=200 $victim disk/db send $first
            cp -r disk/db kept
            """
        let result = try Subprocess.run(
            [
                "unshare", "-m", "sh", "-c", "cd \(directory.path("")) && " + script, "sh",
            ] + Victim.database.command + [ids[0], ids[1], "\(pages)"])
        #expect(result.ending == .exited(0), "\(result.standardError)")
        let parts = result.standardOutput.split(
            separator: "room\n", omittingEmptySubsequences: false)
        #expect(parts.count == 2)
        // The first report is listed while the disk is full, whether or not it could be sent.
        #expect(parts.first?.contains(ids[0]) == true)
        #expect(parts.first?.contains("problem") == false)
        if pages == 0 { #expect(result.standardError.contains("make room on that file system")) }

        let database = try ReportDatabase(opening: directory.path("kept/db"), ifMissing: .fail)
        #expect(try database.settings().uploadsEnabled)
        let sent = try database.report(#require(Epitaph.ID(ids[0])))
        #expect(sent.isUploaded && sent.state == .completed)
        let filed = try database.report(#require(Epitaph.ID(ids[1])))
        #expect(filed.state == .pending && filed.metadataProblem == nil)
        for report in [sent, filed] {
            #expect(try database.contents(of: report).count == 9_250)
            #expect(try database.attachmentNames(of: report.uuid) == ["log"])
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path("kept/db/new")) == []
        )
    }
}
