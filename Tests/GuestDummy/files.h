// SPDX-License-Identifier: Apache-2.0
//
// The program's own files: several, with known contents, held by many descriptors, among them those
// that were Epitaph's.

#ifndef FILES_H
#define FILES_H

/// Before the start of Epitaph: the numbers that are open now are not Epitaph's.
void files_note_numbers_before_start(void);
/// After it: those that are new are.
void files_note_numbers_of_guest(void);

/// Where the files are; -1 for the working directory's "files".
void files_set_directory(int descriptor);

typedef enum numbers {
    /// Whatever number open(2) answers.
    NUMBERS_AS_THEY_COME,
    /// Then also those that were Epitaph's, if they are free.
    NUMBERS_OF_GUEST_IF_CLOSED,
    /// dup2(2) over 3 to 63 and over Epitaph's.
    NUMBERS_REPLACED,
    /// The same for appending, as a shell's `exec 3>>file` does.
    NUMBERS_REPLACED_FOR_APPENDING,
} numbers;

/// Opens the files, which takes so many descriptors of such numbers.
void files_open(numbers which);

/// Writes what is known through every descriptor.
void files_write(const char *when);

/// A line in the program's own log, which is opened for it and closed again.
__attribute__((format(printf, 1, 2))) void files_log(const char *format, ...);

/// What Epitaph answered when it could not do something, in "refusals".
void files_note_refusal(const char *sentence);

#endif
