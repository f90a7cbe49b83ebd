# Above is no target.
CC ?= gcc
CFLAGS := -O2 \
	-Wall
export PATH
export MODE = release
override LEVEL = 1

.PHONY: all clean
.PHONY: test

all: main.o util.o | out
	$(CC) -o $@ $^ \
		-lm

%.o: %.c
	$(CC) $(CFLAGS) -c $<

$(OUT)/%: %.in ; cp $< $@

clean purge::
	rm -f *.o

clean::
	rm -rf out

define BANNER
target: no rule
endef

ifeq ($(MODE),debug)
CFLAGS += -g
test: ; ./run -v
else
test:
	./run
endif

test: CFLAGS += -DTEST
$(OBJ): %.o: %.s
	as $<
include rules.mk
SHA != git rev-parse HEAD
empty =
