// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphTestSupport
import Foundation
import Testing

/// Deaths in libraries that the program had unloaded.
@Suite struct UnloadedLibraryTests {
    private static let source = """
        #include <epitaph.h>
        #include <dlfcn.h>
        #include <pthread.h>
        #include <string.h>
        #include <unistd.h>
        static void *library; static volatile int one = 1;
        static int (*close_library)(void *) = dlclose;
        __attribute__((noinline)) static void unload(void) { close_library(library); one++; }
        __attribute__((noinline)) static void returning(void) {
            void (*call)(void (*)(void)) = (void (*)(void (*)(void)))dlsym(library, "call");
            call(unload); one++;
        }
        __attribute__((noinline)) static void calling(void) {
            int (*add)(int) = (int (*)(int))dlsym(library, "add");
            one = add(one); unload(); one = add(one);
        }
        static void fail(void) { unload(); *(volatile int *)8 = one; }
        __attribute__((noinline)) static void dying(void) {
            void (*call)(void (*)(void)) = (void (*)(void (*)(void)))dlsym(library, "call");
            call(fail); one++;
        }
        static void wait_forever(void) { one++; for (;;) pause(); }
        static void *worker(void *call) {
            ((void (*)(void (*)(void)))call)(wait_forever); return call;
        }
        __attribute__((noinline)) static void waiting(void) {
            pthread_t thread; pthread_create(&thread, NULL, worker, dlsym(library, "call"));
            while (one == 1) usleep(1000);
            fail();
        }
        int main(int count, char **arguments) {
            epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
            options.database_path = arguments[1]; options.bundle_id = "org.example.unloading";
            if (count < 4 || epitaph_start(&options, NULL) != EPITAPH_OK) return 70;
            library = dlopen(arguments[3], RTLD_NOW);
            if (library == NULL) return 71;
            if (strstr(arguments[2], "-unseen") != NULL)
                close_library = (int (*)(void *))dlvsym(RTLD_DEFAULT, "dlclose", "GLIBC_2.34");
            if (strncmp(arguments[2], "returning", 9) == 0) returning();
            if (strncmp(arguments[2], "calling", 7) == 0) calling();
            if (strcmp(arguments[2], "waiting") == 0) waiting();
            if (strcmp(arguments[2], "dying") == 0) dying();
            return 65;
        }

        """

    private func crash(_ way: String) throws -> ExplainedCrash {
        let directory = try TemporaryDirectory()
        let program = try DiagnosisProgram.compile(
            ["-O1", "-g"], in: directory, source: Self.source)
        let file =
            "void call(void (*function)(void)) { function(); __asm__ volatile(\"\"); }\n"
            + "int add(int number) { return number + 1; }\n"
        try directory.write(Array(file.utf8), to: "plugin.c")
        let library = directory.path("plugin.so")
        let compiled = try Subprocess.run(
            ["clang", "-O1", "-shared", "-fPIC", "-o", library, directory.path("plugin.c")])
        #expect(compiled.ending == .exited(0))
        return try ExplainedCrash(program, way, [library])
    }

    @Test("A return into a library that was unloaded, and a call of it, name the library")
    func named() throws {
        let returned = try #require(try crash("returning").diagnosis)
        #expect(returned.kind == .wildJump)
        #expect(returned.headline == "returned into plugin.so, which had been unloaded")
        let called = try #require(try crash("calling").diagnosis)
        #expect(called.kind == .wildJump)
        #expect(called.headline == "called a function of plugin.so, which had been unloaded")
        #expect(called.findings.first?.statement.contains("/plugin.so, which dlclose") == true)
    }

    @Test("A frame in a library that was unloaded names it, in every form and in the signature")
    func frames() throws {
        let crash = try crash("returning")
        let frame = try #require(crash.explanation.crashingThread?.stack?.frames.first)
        #expect(frame.unloadedPlace?.libraryName == "plugin.so")
        let place = "plugin.so+\(frame.unloadedPlace?.offset.hex ?? "")"
        let text = TextReport(crash.explanation).lines.joined(separator: " ")
            .split(separator: " ").joined(separator: " ")
        #expect(text.contains("in \(place), which had been unloaded"), "\(text)")
        #expect(crash.signature?.text == "bad-jump \(place)")
        let json = JSONReport(crash.explanation).text
        #expect(json.contains("\"unloadedModule\": {"), "\(json)")
        let page = HTMLReport(crash.explanation).text
        #expect(page.contains("in \(place), which had been unloaded"))
    }

    @Test(
        "Where a caller was in it the stack is not called damaged",
        arguments: ["dying", "waiting"])
    func callers(_ way: String) throws {
        let explanation = try crash(way).explanation
        let other = explanation.otherThreads.compactMap(\.stack).first { $0.whyIncomplete != nil }
        let why = (way == "dying" ? explanation.crashingThread?.stack : other)?.whyIncomplete ?? ""
        #expect(
            why.replacing(#/0x[0-9a-f]+/#, with: "#")
                == "the return address leads to plugin.so+#, which had been unloaded")
    }

    @Test("A return to where a library was that nobody noted may be no overwritten stack")
    func returning() throws {
        let crash = try crash("returning-unseen")
        #expect(crash.diagnosis?.kind == .wildJump)
        let headline = crash.diagnosis?.headline.replacing(#/0x[0-9a-f]+/#, with: "#")
        #expect(
            headline
                == "returned to #, where no code is: a library was unloaded, or a return address "
                + "was overwritten")
    }

    @Test("A call to where a library was that nobody noted may be no wild pointer")
    func calling() throws {
        let diagnosis = try #require(try crash("calling-unseen").diagnosis)
        #expect(diagnosis.kind == .wildJump)
        #expect(diagnosis.findings.contains { $0.statement.contains("unloaded (dlclose)") })
    }
}
